/** Why a rule of the domain turns a request down. */
export type RefusalCode = "INVALID_PRIVATE_KEY" | "INVALID_SETTING" | "WALLET_LIMIT_REACHED";

/** A request that breaks a rule of the domain. The message is written for the caller and never quotes a secret. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
