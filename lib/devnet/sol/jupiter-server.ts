import { type Address, address, isAddress } from "@solana/web3.js";
import {
  type GatewayRequest,
  type GatewayResponse,
  header,
  json,
  pathOf,
  ratesSchema,
  strikesOf,
} from "cdk-local-runner";
import * as v from "valibot";
import { listenAs, type StandInOptions } from "../stand-in.ts";
import { tradeFee } from "./constant-product.ts";
import { addressOf, associatedAccount, programs, wrappedCoin } from "./published.ts";
import type { JupiterPool, SolDeployment } from "./sol-deployment.ts";
import type { SolNode } from "./sol-node.ts";
import { localPlan } from "./stand-in-jupiter.ts";

const names = [
  ...(["badBuild", "cheat", "extraInstructions", "huge", "otherDestination", "otherProgram"] as const),
  ...(["overstated", "platformFee", "rateLimited", "refusing", "sharedAccounts", "silent"] as const),
] as const;

/**
 * Share of requests that meet each fault. `overstated` doubles the stated output. `cheat` trades ORBIT in the server's
 * own pool at a tenth of the price.
 */
const JupiterFaults = ratesSchema(names, {});

export type LocalJupiter = {
  /** URL that builds swaps. `/_local/faults` is on the same port. */
  url: string;
  faults: v.InferOutput<typeof JupiterFaults>;
  close(): Promise<void>;
};

export type JupiterServerOptions = StandInOptions & {
  node: Pick<SolNode, "request">;
  jupiter: SolDeployment["jupiter"];
  /** Number of requests that are answered in a minute. All others get a 429. By default, there is no limit. */
  perMinute?: number;
  /** Tokens to trade. By default, these are all tokens with a pool. */
  symbols?: readonly (keyof SolDeployment["jupiter"]["pools"])[];
  /** Receives the parameters and the API key of each request. */
  onRequest?: (query: Readonly<Record<string, string>>, key: string | undefined) => void;
};

const path = "/swap/v2/build";

const Key = v.pipe(
  v.string(),
  v.check(isAddress),
  v.transform((text) => address(text)),
);

const Question = v.object({
  inputMint: Key,
  outputMint: Key,
  amount: v.pipe(
    v.string(),
    v.regex(/^[1-9]\d{0,19}$/),
    v.transform((text) => BigInt(text)),
  ),
  taker: Key,
  destinationTokenAccount: v.optional(Key),
  slippageBps: v.optional(v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number)), "50"),
  wrapAndUnwrapSol: v.optional(v.picklist(["true", "false"]), "true"),
  dexes: v.optional(v.string()),
});

const VaultsAnswer = v.object({
  value: v.array(v.nullable(v.object({ data: v.tuple([v.string(), v.literal("base64")]) }))),
});

/** Reads the amount of a token account. In its data, the amount follows the mint and the owner. */
const amountIn = (base64: string): bigint => Buffer.from(base64, "base64").readBigUInt64LE(64);

type Question = v.InferOutput<typeof Question>;

/**
 * Name of the exchange in routes. If a question allows only certain exchanges, routes name the first of these instead.
 */
const usualLabel = "Local Pool";
const noRoute = json(400, { error: "No routes found" });

/** Address that belongs to nobody, used as a thief's account. */
const stranger = addressOf(new Uint8Array(32).fill(7));

/**
 * Imitates the method `build` of Jupiter's API. Its answer has one instruction for the program that stands in for
 * Jupiter's, and other instructions that the service must not use.
 *
 * @throws StartupError if the port is in use
 */
export async function startJupiterServer(options: JupiterServerOptions): Promise<LocalJupiter> {
  const { node, jupiter, seed = 1 } = options;
  const symbols = options.symbols ?? (Object.keys(jupiter.pools) as (keyof typeof jupiter.pools)[]);
  const pools = symbols.map((symbol) => jupiter.pools[symbol]);
  const strikes = strikesOf(names, seed, () => server.faults);

  let recentMs: number[] = [];

  /** Counts a request, and returns true if there were too many in the last minute. */
  function isLimited(): boolean {
    const nowMs = Date.now();
    recentMs = recentMs.filter((atMs) => nowMs - atMs < 60_000);
    if (recentMs.length >= (options.perMinute ?? Number.POSITIVE_INFINITY)) return true;
    recentMs.push(nowMs);
    return false;
  }

  async function answer(request: GatewayRequest): Promise<GatewayResponse> {
    const query = Object.fromEntries(new URL(request.target, "http://localhost").searchParams);
    options.onRequest?.(query, header(request, "x-api-key"));
    const read = v.safeParse(Question, query);
    if (!read.success) return json(400, { error: "Invalid request" });
    if (strikes("silent")) return new Promise<never>(() => {});
    if (strikes("refusing")) return json(400, { error: "Invalid query parameters" });
    if (isLimited() || strikes("rateLimited")) return json(429, { error: "Too many requests" });
    if (strikes("huge")) return json(200, { filler: "x".repeat(1024 * 1024) });
    const pool = poolFor(read.output);
    return pool === undefined ? noRoute : json(200, await builtFor(read.output, pool));
  }

  function poolFor({ inputMint, outputMint }: Question): JupiterPool | undefined {
    const pool = pools.find(({ mint }) => mint === inputMint || mint === outputMint);
    if (pool === undefined || ![inputMint, outputMint].includes(wrappedCoin)) return undefined;
    return pool.mint === jupiter.cheat.mint && strikes("cheat") ? jupiter.cheat : pool;
  }

  async function builtFor(question: Question, pool: JupiterPool): Promise<object> {
    const sides = sidesOf(question, pool);
    const paid = await paidBy(node, sides, question.amount);
    const outAmount = strikes("overstated") ? 2n * paid : paid;
    const accounts = await accountsOf(question, sides, jupiter.authority, strikes("otherDestination"));
    const isShared = strikes("sharedAccounts");
    const swapInstruction = {
      programId: strikes("otherProgram") ? programs.system : programs.jupiter,
      accounts: isShared ? sharedOf(accounts, jupiter.authority) : accounts,
      data: strikes("badBuild")
        ? ""
        : swapData(question, outAmount, { platformFeeBps: strikes("platformFee") ? 100 : 0, isShared }),
    };
    const drains = strikes("extraInstructions") ? [drainOf(question.taker)] : [];
    return {
      ...termsOf(question, outAmount, jupiter.authority),
      computeBudgetInstructions: [{ programId: programs.system, accounts: [], data: "" }],
      setupInstructions: [await openingOf(question, sides), ...drains],
      swapInstruction,
      cleanupInstruction: drains[0] ?? null,
      otherInstructions: drains,
      addressesByLookupTableAddress: { [jupiter.table.address]: jupiter.table.addresses },
      blockhashWithMetadata: { blockhash: [...new Uint8Array(32)], lastValidBlockHeight: 1 },
    };
  }

  const listener = await listenAs(
    () => server,
    JupiterFaults,
    options,
    async (request) => (pathOf(request) === path ? answer(request) : json(404, { error: "Not found" })),
  );
  const server: LocalJupiter = {
    url: `${listener.url}${path}`,
    faults: {},
    close: () => listener.close(),
  };
  return server;
}

/** A vault of a pool, and the program of the vault's token. */
type Side = { vault: Address; program: Address };
type Sides = { from: Side; to: Side };

function sidesOf({ inputMint }: Question, { vaults, program }: JupiterPool): Sides {
  const coin = { vault: vaults.coin, program: programs.token };
  const token = { vault: vaults.token, program };
  return inputMint === wrappedCoin ? { from: coin, to: token } : { from: token, to: coin };
}

/** Computes the amount that a pool pays, from the current balances of its vaults. */
async function paidBy(node: Pick<SolNode, "request">, { from, to }: Sides, amount: bigint): Promise<bigint> {
  const options = { encoding: "base64", commitment: "finalized" };
  const vaults = [from.vault, to.vault];
  const { value } = v.parse(VaultsAnswer, await node.request("getMultipleAccounts", [vaults, options]));
  const held = value.map((account) => (account === null ? 0n : amountIn(account.data[0])));
  const [reserveIn = 0n, reserveOut = 0n] = held;
  const left = amount - (amount * BigInt(tradeFee)) / 1_000_000n;
  return (reserveOut * left) / (reserveIn + left);
}

/**
 * Lists the accounts of a swap in the order that Jupiter's program expects. As in real answers, the exchange's part
 * names the taker again, as an account that is written, and its accounts and mints.
 */
async function accountsOf(
  { inputMint, outputMint, taker, destinationTokenAccount }: Question,
  { from, to }: Sides,
  authority: Address,
  isStolen: boolean,
) {
  const source = await associatedAccount(taker, from.program, inputMint);
  const target = isStolen ? stranger : await associatedAccount(taker, to.program, outputMint);
  const accounts = [
    [taker, false],
    ...[source, target].map((each) => [each, true] as const),
    ...[inputMint, outputMint, from.program, to.program].map((each) => [each, false] as const),
    [destinationTokenAccount ?? programs.jupiter, destinationTokenAccount !== undefined],
    ...[authority, programs.jupiter].map((each) => [each, false] as const),
    ...[taker, source, target].map((each) => [each, true] as const),
    ...[inputMint, outputMint].map((each) => [each, false] as const),
    ...[from.vault, to.vault].map((each) => [each, true] as const),
    [authority, false],
  ] as const;
  return accounts.map(([pubkey, isWritable], place) => ({ pubkey, isWritable, isSigner: place === 0 }));
}

/** Makes the instruction that opens the taker's account of a token, which the answer always begins with. */
async function openingOf({ taker, outputMint }: Question, { to: { program } }: Sides) {
  const opened = await associatedAccount(taker, program, outputMint);
  const accounts = [taker, opened, taker, outputMint, programs.system, program];
  return {
    programId: programs.associatedToken,
    accounts: accounts.map((pubkey, place) => ({ pubkey, isSigner: place === 0, isWritable: place < 2 })),
    data: Buffer.of(1).toString("base64"),
  };
}

type Account = Awaited<ReturnType<typeof accountsOf>>[number];

/**
 * Orders accounts as the instruction does that trades by accounts of Jupiter's program, which the local program does
 * not know.
 */
function sharedOf(accounts: readonly Account[], authority: Address): Account[] {
  const [taker, source, target, mintIn, mintOut, programIn, programOut, , ...rest] = accounts as [
    ...[Account, Account, Account, Account, Account, Account, Account, Account],
    ...Account[],
  ];
  const own: Account = { pubkey: authority, isWritable: false, isSigner: false };
  const [first, second] = [mintIn, mintOut];
  return [own, taker, source, own, own, target, first, second, programIn, programOut, ...rest];
}

function swapData(
  { amount, slippageBps }: Question,
  outAmount: bigint,
  { platformFeeBps, isShared }: { platformFeeBps: number; isShared: boolean },
): string {
  const amounts = Buffer.alloc(22);
  amounts.writeBigUInt64LE(amount, 0);
  amounts.writeBigUInt64LE(outAmount, 8);
  amounts.writeUInt16LE(slippageBps, 16);
  amounts.writeUInt16LE(platformFeeBps, 18);
  // The second name is that of the instruction with shared accounts, whose number follows it.
  const name = Buffer.from(isShared ? "d19853937cfed8e905" : "bb64facc31c4af14", "hex");
  return Buffer.concat([name, amounts, localPlan]).toString("base64");
}

/** Makes an instruction that sends one coin of the taker to a stranger. */
const drainOf = (taker: Address) => ({
  programId: programs.system,
  accounts: [taker, stranger].map((pubkey) => ({ pubkey, isSigner: pubkey === taker, isWritable: true })),
  data: Buffer.from("0200000000ca9a3b00000000", "hex").toString("base64"),
});

/** Fields of the answer that only describe the swap. */
function termsOf(
  { inputMint, outputMint, amount, slippageBps, dexes }: Question,
  outAmount: bigint,
  ammKey: Address,
) {
  const label = dexes?.split(",")[0] ?? usualLabel;
  return {
    inputMint,
    outputMint,
    inAmount: String(amount),
    outAmount: String(outAmount),
    otherAmountThreshold: String((outAmount * BigInt(10_000 - slippageBps)) / 10_000n),
    swapMode: "ExactIn",
    slippageBps,
    priceImpactPct: "0.001",
    routePlan: [{ swapInfo: { ammKey, label, inputMint, outputMint }, percent: 100, bps: 10_000 }],
  };
}
