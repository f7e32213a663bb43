/** The rules of the domain that a request can break. */
export type DomainErrorCode = "INVALID_PRIVATE_KEY" | "INVALID_SETTING" | "WALLET_LIMIT_REACHED";

/** A request breaks a rule of the domain. The message is for the caller and never quotes a secret. */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: DomainErrorCode;

  constructor(code: DomainErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
