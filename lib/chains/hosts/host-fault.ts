import { ServiceError } from "../../core/service-error.ts";

/**
 * Reasons why a host's answer is unusable. Only with UNREACHABLE and NO_KEY, or if the host accepts no more requests,
 * is it certain that the host received nothing.
 */
export type FaultCode =
  | "NO_KEY"
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
  | "REFUSED"
  | "SHORT_OF_GAS";

/**
 * A host gave no usable answer. The chain may have accepted the transaction all the same. The error contains nothing
 * that the host sent.
 */
export class HostFault extends ServiceError {
  declare readonly code: FaultCode;
  /** The HTTP status with which the host refused. */
  readonly status: number | undefined;

  constructor(code: FaultCode, method: string, status?: number) {
    super(`A host failed to answer ${method}: ${code}`, { name: "HostFault", code });
    this.status = status;
  }
}

/** Reads the number that the first group of a pattern matches, such as a limit. */
function numberIn(text: string, pattern: RegExp): number | undefined {
  const [, digits] = pattern.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}

/**
 * A host refused a request with an HTTP status. Its message can be searched, but like that of {@link RpcRefusal} it is
 * never shown.
 */
export class RequestRefused extends HostFault {
  readonly #words: string;

  constructor(methods: string, status: number, words: string) {
    super("BAD_STATUS", methods, status);
    this.#words = words;
  }

  says(pattern: RegExp): boolean {
    return pattern.test(this.#words);
  }

  numberIn(pattern: RegExp): number | undefined {
    return numberIn(this.#words, pattern);
  }
}

const limitWords = /(?:most|max|limit|more than|up to)\D{0,20}(\d{1,4})\b/i;

/** The host rejects batches of this size. It may have run some of the calls. */
export class BatchRefused extends HostFault {
  /** The number of calls sent, and the number that the host accepts, if stated. */
  readonly sent: number;
  readonly most: number | undefined;

  constructor(methods: readonly string[], message: string) {
    super("REFUSED", methods.join());
    this.sent = methods.length;
    const most = numberIn(message, limitWords) ?? 0;
    this.most = most > 0 && most < this.sent ? most : undefined;
  }
}

/**
 * - `call`: the call fails on the chain, for example with a revert. Other hosts give the same answer.
 * - `unsupported`: the host does not know the method.
 * - `host`: the host cannot or will not answer now.
 */
export type RefusalKind = "call" | "unsupported" | "host";

/** Meanings of error codes, which differ between families of chains. */
export type RefusalCodes = {
  /** The host does not know the method, or the plan does not include it. */
  unsupported: readonly number[];
  /** The host currently accepts no more requests. */
  busy: readonly number[];
  /** The host does not have a block, perhaps only for now. */
  outOfStep: readonly number[];
  /** The host rejects batches of this size. */
  batch: readonly number[];
  /** The call fails on the chain. */
  call: readonly number[];
};

/** JSON-RPC's codes for unknown methods and invalid requests. */
const unknownMethodCode = -32601;
export const invalidRequestCode = -32600;

/**
 * Codes of EVM hosts: those of EIP-1474, of geth for a revert with data, and of providers. -38015 means a simulation
 * above the host's gas limit.
 */
export const evmRefusals: RefusalCodes = {
  unsupported: [unknownMethodCode, invalidRequestCode, -32004, -32001, -38015],
  busy: [-32005, 429],
  outOfStep: [],
  batch: [-32014],
  call: [3],
};

/**
 * Codes of Solana's hosts (custom_error.rs of Agave's client): -32004 and -32014 mean a block that is not available
 * yet, -32016 a slot that is not reached, and -32011 a history that the host does not keep. An unhealthy node's -32005
 * has no entry, because it passes.
 */
export const solRefusals: RefusalCodes = {
  unsupported: [unknownMethodCode, invalidRequestCode, -32011],
  busy: [429, -32429],
  outOfStep: [-32004, -32014, -32016],
  batch: [],
  call: [],
};

const unsupportedWords =
  /unsupported method|method\b.*\bnot (?:supported|found)|not whitelisted|not available|does not exist/i;

/** Messages that concern a batch as a whole, although they answer one of its calls. */
export const batchWords = /\bbatch/i;

/** Messages about too many requests. Splitting a request would only add more. */
const busyWords = /rate limit|limit exceeded|too many requests|capacity/i;

/** Messages about a block or state that the host does not have. Another server behind the same address may have it. */
const outOfStepWords =
  /header not found|missing trie node|block not found|unknown block|state\b.*\b(?:not available|unavailable)/i;

/** Nodes' messages for failed calls. Each node uses its own codes, or only the general -32000. */
const callFailure =
  /revert|vm (?:execution )?error|out ?of ?gas|gas required exceeds|invalid opcode|invalid jump|stack (?:under|over)flow|insufficient funds/i;

const longestMessage = 1000;

/**
 * A host answered a call with an error. Its message can be searched but appears in no error message, log or JSON,
 * because it quotes the request.
 */
export class RpcRefusal extends ServiceError {
  declare readonly code: number;
  readonly kind: RefusalKind;
  /** True if the host lacks a block or its state, perhaps only for now. */
  readonly isOutOfStep: boolean;
  readonly #words: string;
  readonly #data: string | undefined;
  readonly #codes: RefusalCodes;

  constructor(
    method: string,
    { code, message, data }: { code: number; message: string; data?: unknown },
    codes = evmRefusals,
  ) {
    super(`A host refused ${method} with code ${code}`, { name: "RpcRefusal", code });
    this.#words = message.slice(0, longestMessage);
    this.#data = typeof data === "string" && /^0x(?:[\da-f]{2})*$/i.test(data) ? data : undefined;
    this.#codes = codes;
    const isCall = codes.call.includes(code) || callFailure.test(message);
    this.isOutOfStep = !isCall && (codes.outOfStep.includes(code) || outOfStepWords.test(message));
    const isUnsupported = codes.unsupported.includes(code) || unsupportedWords.test(message);
    this.kind = isCall ? "call" : isUnsupported && !this.isOutOfStep ? "unsupported" : "host";
  }

  /** Tests the host's message for a pattern, such as "nonce too low". */
  says(pattern: RegExp): boolean {
    return pattern.test(this.#words);
  }

  /** Returns the number that the first group of a pattern matches in the host's message, such as a limit. */
  numberIn(pattern: RegExp): number | undefined {
    return numberIn(this.#words, pattern);
  }

  /** True if the host refuses this method altogether, not just this call. */
  get isMissing(): boolean {
    return this.kind === "unsupported" && (this.code === unknownMethodCode || this.says(unsupportedWords));
  }

  /** True if the host rejects batches of this size. */
  get refusesBatch(): boolean {
    return this.kind !== "call" && (this.#codes.batch.includes(this.code) || this.says(batchWords));
  }

  /** True if the host currently accepts no more requests. */
  get isBusy(): boolean {
    return !this.refusesBatch && (this.#codes.busy.includes(this.code) || this.says(busyWords));
  }

  /** Turns the refusal of one call into a refusal of the whole batch. */
  asBatch(methods: readonly string[]): BatchRefused {
    return new BatchRefused(methods, this.#words);
  }

  /** The contract's revert data, as hex. */
  get revertData(): string | undefined {
    return this.#data;
  }
}

/** The reason why a host gave no usable answer. */
export type HostError = HostFault | RpcRefusal;

export const isHostError = (error: unknown): error is HostError =>
  error instanceof HostFault || error instanceof RpcRefusal;

/** Waits for an answer. Undefined if the host fails. */
export async function unlessHostFails<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isHostError(error)) return undefined;
    throw error;
  }
}

/** No host answered, or no two hosts agreed. The request can be repeated later. */
export class ChainUnavailable extends ServiceError {
  override readonly code = "CHAIN_UNAVAILABLE";
}

/** True if an answer was too large. The host may be able to answer a smaller request. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof ChainUnavailable
    ? isTooLarge(error.cause)
    : error instanceof HostFault && error.code === "TOO_LARGE";
