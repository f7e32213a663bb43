/**
 * Why a host's answer is unusable. Only with UNREACHABLE, or when it takes no more requests, did the host receive
 * nothing.
 */
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
 * A host gave no usable answer. The chain may have taken the transaction all the same. The error contains nothing that
 * the host sent.
 */
export class HostFault extends Error {
  readonly reason: FaultReason;

  constructor(reason: FaultReason, method: string) {
    super(`A host failed to answer ${method}: ${reason}`);
    // Logs contain only the name.
    this.name = `HostFault ${reason}`;
    this.reason = reason;
  }
}

/**
 * - `call`: the call fails on the chain, for example with a revert. Other hosts give the same answer.
 * - `unsupported`: the host does not know the method.
 * - `host`: the host cannot or will not answer now.
 */
export type RefusalKind = "call" | "unsupported" | "host";

/** The code of EIP-1474 for a method that is not supported. */
export const unsupportedCode = -32004;

/** JSON-RPC has another code for unknown methods. */
const unsupportedCodes = [-32601, unsupportedCode];

/** Geth's code for a revert that has data. */
const revertCode = 3;

/** Nodes' messages for failed calls. Each node uses its own codes, or only the general -32000. */
const callFailure =
  /revert|vm (?:execution )?error|out of gas|gas required exceeds|invalid opcode|invalid jump|stack (?:under|over)flow|insufficient funds/i;

const longestMessage = 1000;

/**
 * A host answered a call with an error. Its message can be searched but appears in no error message, log or JSON, since
 * it quotes the request.
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

  /** Tests the host's message for a pattern, such as "nonce too low". */
  says(pattern: RegExp): boolean {
    return pattern.test(this.#words);
  }

  /** The contract's revert data, as hex. */
  get revertData(): string | undefined {
    return this.#data;
  }
}

/** No host answered, or no two hosts agreed. The request can be repeated later. */
export class ChainUnavailable extends Error {
  override readonly name = "ChainUnavailable";
}

/** True if an answer was too large. The host may answer a smaller request. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof ChainUnavailable
    ? isTooLarge(error.cause)
    : error instanceof HostFault && error.reason === "TOO_LARGE";
