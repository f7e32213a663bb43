/** Why a host's answer cannot be used. It was sent nothing only if it is UNREACHABLE or takes no more requests. */
export type FaultReason =
  | "UNREACHABLE"
  | "BROKEN_OFF"
  | "TIMEOUT"
  | "BAD_STATUS"
  | "TOO_MANY_REQUESTS"
  | "TOO_LARGE"
  | "EMPTY"
  | "NOT_JSON"
  | "NOT_JSON_RPC"
  | "WRONG_ID"
  | "WRONG_CHAIN"
  | "BAD_RESULT"
  | "REFUSED";

/**
 * A host gave no usable answer. That says nothing about the chain: a transaction may have been taken all the same. The
 * error contains nothing that the host sent.
 */
export class HostFault extends Error {
  readonly reason: FaultReason;

  constructor(reason: FaultReason, method: string) {
    super(`A host failed to answer ${method}: ${reason}`);
    // Logs have names only.
    this.name = `HostFault ${reason}`;
    this.reason = reason;
  }
}

/**
 * - `call`: the chain's state fails the call, as a revert does. Other hosts will say the same.
 * - `unsupported`: the host does not know the method.
 * - `host`: the host cannot answer now, or does not want to.
 */
export type RefusalKind = "call" | "unsupported" | "host";

/** The code of EIP-1474 for a method that is not supported. */
export const unsupportedCode = -32004;

/** JSON-RPC has one for unknown methods too. */
const unsupportedCodes = [-32601, unsupportedCode];

/** Geth's code for a revert with data. */
const revertCode = 3;

/** How nodes word failures of a call. Each has codes of its own, or only the general -32000. */
const callFailure =
  /revert|vm (?:execution )?error|out of gas|gas required exceeds|invalid opcode|invalid jump|stack (?:under|over)flow|insufficient funds/i;

const longestMessage = 1000;

/**
 * A host answered a call with an error. Its words are kept to be searched, and are in no message, log or JSON: they quote
 * what was sent.
 */
export class RpcRefusal extends Error {
  override readonly name = "RpcRefusal";
  readonly code: number;
  readonly kind: RefusalKind;
  readonly #words: string;
  readonly #data: string | undefined;

  constructor(method: string, { code, message, data }: { code: number; message: string; data?: unknown }) {
    super(`A host refused ${method} with code ${code}`);
    this.code = code;
    this.#words = message.slice(0, longestMessage);
    this.#data = typeof data === "string" && /^0x(?:[\da-f]{2})*$/i.test(data) ? data : undefined;
    const isUnsupported =
      unsupportedCodes.includes(code) || /method\b.*\bnot (?:supported|found)/i.test(message);
    this.kind =
      code === revertCode || callFailure.test(message) ? "call" : isUnsupported ? "unsupported" : "host";
  }

  /** Whether the host's words match, such as "nonce too low". */
  says(pattern: RegExp): boolean {
    return pattern.test(this.#words);
  }

  /** What a contract gave as the reason of its revert, as hex. */
  get revertData(): string | undefined {
    return this.#data;
  }
}

/** No host gave an answer, or no two of them the same. The request may be repeated later. */
export class ChainUnavailable extends Error {
  override readonly name = "ChainUnavailable";
}

/** Whether an answer was too large, so that a host may answer a smaller question. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof ChainUnavailable
    ? isTooLarge(error.cause)
    : error instanceof HostFault && error.reason === "TOO_LARGE";
