import type { Address } from "@solana/web3.js";
import * as v from "valibot";
import { ServiceError } from "../../../core/service-error.ts";
import { HostFault } from "../../hosts/host-fault.ts";
import { getJsonBody } from "../../hosts/json-body.ts";
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
  /** The account that receives the output. */
  destination: Address;
  /** The labels of the only exchanges that it may use. All if absent. */
  exchanges?: readonly string[] | undefined;
};

type BuiltAccount = { address: Address; isWritable: boolean };

/** The used parts of Jupiter's answer. All other instructions are discarded. */
export type BuiltSwap = {
  accounts: readonly BuiltAccount[];
  data: Uint8Array;
  /** Lookup tables with their addresses, in their order. */
  tables: ReadonlyMap<Address, readonly Address[]>;
  /** The output that Jupiter promises. Hosts simulate it before it counts. */
  amountOut: bigint;
  /** The exchanges on the route. */
  labels: readonly string[];
  /** Programs that Jupiter would call first, for example to open a user's account at an exchange. */
  setupPrograms: readonly Address[];
};

/** Jupiter gave no usable answer. It contains nothing that Jupiter sent, and no key. */
export class JupiterFault extends ServiceError {
  constructor(code: string) {
    super(`Jupiter gave no usable answer: ${code}`, { name: "JupiterFault", code });
  }

  /** True if Jupiter works, and has no route for the trade. */
  get isNoRoute() {
    return this.code === "NO_ROUTE";
  }
}

/** The statuses of answers about trades without a route, such as of unknown tokens. */
const noRouteStatuses: readonly (number | undefined)[] = [400, 404, 422];

export type JupiterClient = {
  /** @throws {JupiterFault} */
  build(question: BuildQuestion): Promise<BuiltSwap>;
};

/** Opens Jupiter for a function. */
export type OpenJupiter = (access: JupiterAccess) => {
  jupiter: JupiterClient;
  onJupiterFault: (fault: unknown) => void;
};

const limits = { timeoutMs: 1500, maxBytes: 256 * 1024 };

/** Pause after a refusal of too many requests. */
const restMs = 10_000;

/**
 * Most accounts of Jupiter's instruction. With more, the order's own instructions would not fit into the transaction.
 */
const mostAccounts = 40;

/** Any allowed value will do, because the least output is written into the instruction afterwards. */
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

/** Remembers that it made too many requests, so a function keeps one client for its whole life. */
export function jupiterClient(
  { url, key }: JupiterAccess,
  { timeoutMs, maxBytes, nowMs = Date.now }: Partial<typeof limits> & { nowMs?: () => number } = {},
): JupiterClient {
  let restsUntilMs = 0;

  async function ask(question: BuildQuestion): Promise<unknown> {
    if (nowMs() < restsUntilMs) throw new JupiterFault("RESTING");
    try {
      return await getJsonBody(urlFor(url, question), key === undefined ? {} : { "x-api-key": key }, {
        methods: "build",
        maxBytes: maxBytes ?? limits.maxBytes,
        signal: AbortSignal.timeout(timeoutMs ?? limits.timeoutMs),
      });
    } catch (error) {
      if (!(error instanceof HostFault)) throw error;
      if (error.code === "TOO_MANY_REQUESTS") restsUntilMs = nowMs() + restMs;
      throw new JupiterFault(noRouteStatuses.includes(error.status) ? "NO_ROUTE" : error.code);
    }
  }

  return { build: async (question) => swapIn(await ask(question), question) };
}

/** @param onJupiterFault Receives the reason why an answer cannot be used. */
export const jupiterFor =
  (onJupiterFault: (fault: unknown) => void): OpenJupiter =>
  (access) => ({ jupiter: jupiterClient(access), onJupiterFault });

function urlFor(url: string, question: BuildQuestion): URL {
  const { inputMint, outputMint, amountIn, helper, destination, exchanges } = question;
  const asked = new URL(url);
  const values = {
    inputMint,
    outputMint,
    amount: String(amountIn),
    taker: helper,
    destinationTokenAccount: destination,
    wrapAndUnwrapSol: "false",
    slippageBps,
    maxAccounts: String(mostAccounts),
    ...(exchanges && { dexes: exchanges.join() }),
  };
  for (const [name, value] of Object.entries(values)) asked.searchParams.set(name, value);
  return asked;
}

function swapIn(answer: unknown, { inputMint, outputMint, amountIn }: BuildQuestion): BuiltSwap {
  const read = v.safeParse(Answer, answer);
  if (!read.success) throw new JupiterFault("BAD_RESULT");
  const { swapInstruction, addressesByLookupTableAddress, ...found } = read.output;
  if (swapInstruction.programId !== jupiterProgram) throw new JupiterFault("OTHER_PROGRAM");
  if (found.inputMint !== inputMint || found.outputMint !== outputMint) throw new JupiterFault("OTHER_MINTS");
  if (found.inAmount !== amountIn) throw new JupiterFault("OTHER_AMOUNT");
  const tables = Object.entries(addressesByLookupTableAddress ?? {});
  return {
    accounts: swapInstruction.accounts.map(({ pubkey: address, isWritable }) => ({ address, isWritable })),
    data: Uint8Array.from(Buffer.from(swapInstruction.data, "base64")),
    tables: new Map(tables.map(([table, addresses]) => [table as Address, addresses])),
    amountOut: found.outAmount,
    labels: found.routePlan.map(({ swapInfo: { label } }) => label),
    setupPrograms: (found.setupInstructions ?? []).map(({ programId }) => programId),
  };
}
