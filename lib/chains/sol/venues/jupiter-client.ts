import type { Address } from "@solana/web3.js";
import * as v from "valibot";
import { ServiceError } from "../../../core/service-error.ts";
import { HostFault } from "../../hosts/host-fault.ts";
import { getJsonBody } from "../../hosts/json-body.ts";
import { filledText, type ToKeyedText } from "../../hosts/keyed-text.ts";
import { PublicKey } from "../calls/rpc-call.ts";
import type { JupiterAccess } from "../rules/configuration.ts";
import { jupiterProgram } from "./jupiter.ts";

/** The swap to build. Amounts are in units, or lamports. */
export type BuildQuestion = {
  inputMint: Address;
  outputMint: Address;
  amountIn: bigint;
  /** The key that signs for Jupiter's instruction. */
  helper: Address;
  /** Labels of the only exchanges that Jupiter may use. If absent, it may use all. */
  exchanges?: readonly string[] | undefined;
};

type BuiltAccount = { address: Address; isWritable: boolean };

/** The parts of Jupiter's answer that are used. All other instructions are discarded. */
export type BuiltSwap = {
  accounts: readonly BuiltAccount[];
  data: Uint8Array;
  /** Lookup tables with the addresses they contain, in order. */
  tables: ReadonlyMap<Address, readonly Address[]>;
  /** The output that Jupiter promises. It is not trusted until hosts have simulated it. */
  amountOut: bigint;
  /** The exchanges on the route. */
  labels: readonly string[];
  /** Programs that Jupiter would call before the swap, for example to open a user's account at an exchange. */
  setupPrograms: readonly Address[];
};

/** Jupiter gave no usable answer. The error contains nothing that Jupiter sent, and no key. */
export class JupiterFault extends ServiceError {
  constructor(code: string) {
    super(`Jupiter gave no usable answer: ${code}`, { name: "JupiterFault", code });
  }

  /** True if Jupiter works but has no route for the trade. */
  get isNoRoute() {
    return this.code === "NO_ROUTE";
  }
}

/** HTTP statuses for trades that have no route, for example because a token is unknown. */
const noRouteStatuses: readonly (number | undefined)[] = [400, 404, 422];

export type JupiterClient = {
  /** @throws {JupiterFault} */
  build(question: BuildQuestion): Promise<BuiltSwap>;
};

/** Opens the client of Jupiter for a function. */
export type OpenJupiter = (
  access: JupiterAccess,
  keyed?: ToKeyedText,
) => {
  jupiter: JupiterClient;
  onJupiterFault: (fault: unknown) => void;
};

const limits = { timeoutMs: 1500, maxBytes: 256 * 1024 };

/** Pause after Jupiter has refused a request because there were too many. */
const restMs = 10_000;

/**
 * Maximum number of accounts in Jupiter's instruction. With more accounts, the order's own instructions would not fit
 * into the transaction.
 */
const mostAccounts = 40;

/** Shortest time between two reports of answers. */
const reportMs = 60_000;

/** The requests that Jupiter was sent since the last report, and those that it answered with a 400 or a 429. */
export type JupiterAnswers = { asked: number; refused: number; limited: number };

const none: JupiterAnswers = { asked: 0, refused: 0, limited: 0 };

/** Any allowed slippage will do, because the minimum output is written into the instruction afterwards. */
const slippageBps = "50";

const Units = v.pipe(
  v.string(),
  v.regex(/^\d{1,20}$/),
  v.transform((text) => BigInt(text)),
);
const Key = v.pipe(
  PublicKey,
  v.transform((text) => text as Address),
);
const Instruction = v.object({
  programId: Key,
  accounts: v.pipe(v.array(v.object({ pubkey: Key, isWritable: v.boolean() })), v.maxLength(256)),
  data: v.pipe(v.string(), v.maxLength(4096), v.base64()),
});
const Label = v.pipe(v.string(), v.maxLength(100));

const Answer = v.object({
  inputMint: Key,
  outputMint: Key,
  inAmount: Units,
  outAmount: Units,
  routePlan: v.pipe(v.array(v.object({ swapInfo: v.object({ label: Label }) })), v.maxLength(64)),
  setupInstructions: v.nullish(v.pipe(v.array(v.object({ programId: Key })), v.maxLength(64))),
  swapInstruction: Instruction,
  addressesByLookupTableAddress: v.nullish(v.record(PublicKey, v.pipe(v.array(Key), v.maxLength(256)))),
});

/**
 * Makes a client of Jupiter. It remembers that it has made too many requests, so a function keeps one client for its
 * whole life.
 *
 * @param options.onAnswer Receives each answer before it is read.
 */
export function jupiterClient(
  { url, key, exchanges: allowed }: JupiterAccess,
  {
    timeoutMs,
    maxBytes,
    nowMs = Date.now,
    keyed = (text) => text,
    onAnswers,
    onAnswer,
  }: Partial<typeof limits> & {
    nowMs?: () => number;
    keyed?: ToKeyedText | undefined;
    onAnswers?: ((answers: JupiterAnswers) => void) | undefined;
    onAnswer?: ((answer: unknown) => void) | undefined;
  } = {},
): JupiterClient {
  let restsUntilMs = 0;
  let answers = none;
  let reportedAtMs = 0;

  function count(status?: number): void {
    answers = {
      asked: answers.asked + 1,
      refused: answers.refused + (status === 400 ? 1 : 0),
      limited: answers.limited + (status === 429 ? 1 : 0),
    };
    if (nowMs() - reportedAtMs < reportMs) return;
    reportedAtMs = nowMs();
    onAnswers?.(answers);
    answers = none;
  }

  const headers = async (signal: AbortSignal): Promise<Record<string, string>> =>
    key === undefined ? {} : { "x-api-key": await filled(key, signal) };

  const filled = (text: string, signal: AbortSignal) =>
    filledText(keyed(text), signal).catch(() => {
      throw new JupiterFault("NO_KEY");
    });

  async function ask(question: BuildQuestion): Promise<unknown> {
    if (nowMs() < restsUntilMs) throw new JupiterFault("RESTING");
    const signal = AbortSignal.timeout(timeoutMs ?? limits.timeoutMs);
    try {
      const answer = await getJsonBody(urlFor(await filled(url, signal), question), await headers(signal), {
        methods: "build",
        maxBytes: maxBytes ?? limits.maxBytes,
        signal,
      });
      count();
      onAnswer?.(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof HostFault)) throw error;
      count(error.status);
      if (error.code === "TOO_MANY_REQUESTS") restsUntilMs = nowMs() + restMs;
      throw new JupiterFault(noRouteStatuses.includes(error.status) ? "NO_ROUTE" : error.code);
    }
  }

  return {
    async build(asked) {
      const question = { exchanges: allowed, ...asked };
      return readBuilt(await ask(question), question);
    },
  };
}

/**
 * @param onJupiterFault Receives the reason why an answer cannot be used.
 * @param onAnswers Receives the numbers of requests, at most once a minute.
 */
export const jupiterFor =
  (onJupiterFault: (fault: unknown) => void, onAnswers?: (answers: JupiterAnswers) => void): OpenJupiter =>
  (access, keyed) => ({ jupiter: jupiterClient(access, { keyed, onAnswers }), onJupiterFault });

function urlFor(url: string, question: BuildQuestion): URL {
  const { inputMint, outputMint, amountIn, helper, exchanges } = question;
  const asked = new URL(url);
  const values = {
    inputMint,
    outputMint,
    amount: String(amountIn),
    taker: helper,
    wrapAndUnwrapSol: "false",
    slippageBps,
    maxAccounts: String(mostAccounts),
    ...(exchanges && { dexes: exchanges.join() }),
  };
  for (const [name, value] of Object.entries(values)) asked.searchParams.set(name, value);
  return asked;
}

/**
 * Reads an answer of Jupiter.
 *
 * @throws {JupiterFault} if it is not the answer to the question
 */
export function readBuilt(
  answer: unknown,
  { inputMint, outputMint, amountIn, exchanges }: BuildQuestion,
): BuiltSwap {
  const read = v.safeParse(Answer, answer);
  if (!read.success) throw new JupiterFault("BAD_RESULT");
  const { swapInstruction, addressesByLookupTableAddress, ...found } = read.output;
  if (swapInstruction.programId !== jupiterProgram) throw new JupiterFault("OTHER_PROGRAM");
  if (found.inputMint !== inputMint || found.outputMint !== outputMint) throw new JupiterFault("OTHER_MINTS");
  if (found.inAmount !== amountIn) throw new JupiterFault("OTHER_AMOUNT");
  const labels = found.routePlan.map(({ swapInfo: { label } }) => label);
  if (exchanges !== undefined && !labels.every((label) => exchanges.includes(label)))
    throw new JupiterFault("OTHER_EXCHANGE");
  const tables = Object.entries(addressesByLookupTableAddress ?? {});
  return {
    accounts: swapInstruction.accounts.map(({ pubkey: address, isWritable }) => ({ address, isWritable })),
    data: Uint8Array.from(Buffer.from(swapInstruction.data, "base64")),
    tables: new Map(tables.map(([table, addresses]) => [table as Address, addresses])),
    amountOut: found.outAmount,
    labels,
    setupPrograms: (found.setupInstructions ?? []).map(({ programId }) => programId),
  };
}
