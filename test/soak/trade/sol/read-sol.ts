import type { Address } from "@solana/web3.js";
import { transactionIn } from "trading-terminal-devnet/sol/wire-message";
import {
  markerOf,
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
} from "../../../../lib/chains/sol/calls/addresses.ts";
import { cpmmProgram } from "../../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { pumpPrograms, pumpVolumeOfUser } from "../../../../lib/chains/sol/calls/pump-addresses.ts";
import type { Balances } from "../facts.ts";
import type { SolAccess } from "./sol-access.ts";
import type { SolFacts, SolTokenAccount, SolTransaction } from "./sol-facts.ts";

type TokenBalance = { accountIndex: number; mint: string; owner: string; uiTokenAmount: { amount: string } };
type Found = {
  slot: number;
  blockTime: number;
  meta: {
    err: unknown;
    fee: number;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: TokenBalance[];
    postTokenBalances: TokenBalance[];
  };
  transaction: [string, "base64"];
};
type Owned = {
  pubkey: string;
  account: {
    data: { parsed: { info: { mint: string; delegate?: string; tokenAmount: { amount: string } } } };
  };
};

export type ReadSolOptions = {
  /** Initial balances of the wallets. */
  before: ReadonlyMap<string, Balances>;
  /** Called with signed bytes that no log or response may contain. */
  noteSigned(parts: string[]): void;
};

/** Reads all of the wallets' transactions and accounts. Uses only addresses from the service's code. */
export async function readSol(access: SolAccess, { before, noteSigned }: ReadSolOptions): Promise<SolFacts> {
  const transactions: SolTransaction[] = [];
  const accounts: SolTokenAccount[] = [];
  const wallets = new Map<string, { before: Balances; after: Balances }>();
  for (const [wallet, start] of before) {
    for (const signature of await signaturesOf(access, wallet)) {
      const found = await transactionOf(access, signature);
      noteSigned([found.transaction[0]]);
      const read = await readTransaction(access, wallet, found);
      if (read !== undefined) transactions.push(read);
    }
    const own = await accountsOf(access, wallet);
    accounts.push(...own.accounts);
    wallets.set(wallet, { before: start, after: own.balances });
  }
  const sorted = transactions.toSorted((a, b) => a.slot - b.slot);
  return { wallets, transactions: sorted, accounts, marked: await markedOf(access, sorted) };
}

const confirmed = { commitment: "confirmed" };

/** Maximum number of signatures that a host lists in one response. */
const mostSignatures = 1000;

/** Lists a wallet's transactions, oldest first. */
async function signaturesOf({ request }: SolAccess, wallet: string): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const options = { ...confirmed, limit: mostSignatures, ...(all.length > 0 && { before: all.at(-1) }) };
    const page = await request<{ signature: string }[]>("getSignaturesForAddress", wallet, options);
    all.push(...page.map(({ signature }) => signature));
    if (page.length < mostSignatures) return all.toReversed();
  }
}

async function transactionOf({ request }: SolAccess, signature: string): Promise<Found> {
  const options = { ...confirmed, encoding: "base64", maxSupportedTransactionVersion: 0 };
  const found = await request<Found | null>("getTransaction", signature, options);
  if (found === null) throw new Error(`sol lists ${signature}, and does not have it`);
  return found;
}

/** Numbers of System program instructions, stored in their first bytes. */
const [transfer, allocateWithSeed] = [2, 9];

/** Reads a transaction. Undefined if the wallet did not send it. */
async function readTransaction(
  { deployment }: SolAccess,
  wallet: string,
  { slot, blockTime, meta, transaction }: Found,
): Promise<SolTransaction | undefined> {
  const sent = transactionIn([transaction[0], { encoding: "base64" }]);
  if (sent === undefined) throw new Error("sol has a transaction that cannot be read");
  const { signature: hash, message } = sent;
  const accounts = message.staticAccounts as readonly string[];
  if (accounts[0] !== wallet) return undefined;
  const instructions = message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
    program: accounts[programAddressIndex],
    named: accountIndices.map((index) => accounts[index]),
    data: Buffer.from(data ?? []),
  }));
  const ofSystem = instructions.filter(({ program }) => program === programs.system);
  // Finds the marker's creation, which precedes the account of wrapped coin.
  const maker = ofSystem.find(({ data }) => data.readUInt32LE() === allocateWithSeed);
  // Skips the base's 32 bytes. The seed's length follows in 8 bytes.
  const orderId = maker?.data.subarray(44, 44 + maker.data.readUInt32LE(36)).toString();
  const tips = ofSystem.filter(
    ({ data, named }) =>
      data.readUInt32LE() === transfer && deployment.tipAccounts.some((account) => account === named[1]),
  );
  const isOk = meta.err === null;
  const tip = isOk ? tips.reduce((sum, { data }) => sum + data.readBigUInt64LE(4), 0n) : 0n;
  const gained = (address: string | undefined) => {
    const index = accounts.indexOf(address ?? "");
    return index < 0 ? 0n : BigInt(meta.postBalances[index] ?? 0) - BigInt(meta.preBalances[index] ?? 0);
  };
  const own = ({ owner }: TokenBalance) => owner === wallet;
  const [held, left] = [meta.preTokenBalances, meta.postTokenBalances].map((balances) =>
    unitsByMint(balances.filter((each) => own(each) && each.mint !== wsolMint)),
  ) as [Balances, Balances];
  const pools = [meta.preTokenBalances, meta.postTokenBalances].map((balances) =>
    unitsByMint(balances.filter(({ owner }) => owner === deployment.authority)),
  );
  const exchanges: readonly (string | undefined)[] = [cpmmProgram, ...Object.values(pumpPrograms)];
  const isSwap = instructions.some(({ program }) => exchanges.includes(program));
  const common = {
    hash,
    wallet,
    slot,
    time: blockTime,
    isOk,
    held,
    fee: BigInt(meta.fee) + tip,
    baseFee: 5000n * BigInt(message.header.numSignerAccounts),
    coins: gained(wallet),
    toPools: (pools[1]?.get(wsolMint) ?? 0n) - (pools[0]?.get(wsolMint) ?? 0n),
    tokens: new Map(
      [...held.keys(), ...left.keys()].map((mint) => [mint, (left.get(mint) ?? 0n) - (held.get(mint) ?? 0n)]),
    ),
  };
  if (orderId === undefined) return { ...common, purpose: "foreign", rent: 0n, donated: 0n };
  const marker = await markerOf(wallet as Address, orderId);
  const wsol = await wsolAccountOf(wallet as Address, orderId);
  const kept = await Promise.all(
    [
      ...Object.values(deployment.tokens),
      ...Object.values(deployment.pump.curves),
      ...Object.values(deployment.pump.pools),
    ].map(({ mint, program }) => tokenAccountOf(wallet as Address, mint, program)),
  );
  const volumes = await Promise.all(
    (["curve", "pool"] as const).map((market) => pumpVolumeOfUser(market, wallet as Address)),
  );
  const rent = [marker, ...kept, ...volumes].reduce((sum, address) => sum + gained(address), 0n);
  return { ...common, purpose: isSwap ? "swap" : "clear", orderId, rent, donated: -gained(wsol) };
}

const unitsByMint = (balances: readonly TokenBalance[]): Balances =>
  new Map(balances.map(({ mint, uiTokenAmount }) => [mint, BigInt(uiTokenAmount.amount)]));

async function accountsOf({ request }: SolAccess, wallet: string) {
  const { value: coins } = await request<{ value: number }>("getBalance", wallet, confirmed);
  const balances = new Map([["native", BigInt(coins)]]);
  const accounts: SolTokenAccount[] = [];
  for (const programId of [programs.token, programs.token2022]) {
    const options = { ...confirmed, encoding: "jsonParsed" };
    const { value } = await request<{ value: Owned[] }>(
      "getTokenAccountsByOwner",
      wallet,
      { programId },
      options,
    );
    for (const { pubkey: address, account } of value) {
      const { mint, delegate, tokenAmount } = account.data.parsed.info;
      const isAssociated = address === (await tokenAccountOf(wallet as Address, mint as Address, programId));
      accounts.push({ address, wallet, mint, isAssociated, ...(delegate !== undefined && { delegate }) });
      balances.set(mint, (balances.get(mint) ?? 0n) + BigInt(tokenAmount.amount));
    }
  }
  return { balances, accounts };
}

/** Maximum number of accounts that a host returns in one response. */
const mostAccounts = 100;

async function markedOf(
  { request }: SolAccess,
  transactions: readonly SolTransaction[],
): Promise<Set<string>> {
  const orders = new Map(
    transactions.flatMap(({ orderId, wallet }) =>
      orderId === undefined ? [] : [[orderId, wallet] as const],
    ),
  );
  const markers = await Promise.all(
    [...orders].map(async ([orderId, wallet]) => ({
      orderId,
      address: await markerOf(wallet as Address, orderId),
    })),
  );
  const marked = new Set<string>();
  for (let from = 0; from < markers.length; from += mostAccounts) {
    const asked = markers.slice(from, from + mostAccounts);
    const { value } = await request<{ value: ({ data: [string] } | null)[] }>(
      "getMultipleAccounts",
      asked.map(({ address }) => address),
      { ...confirmed, encoding: "base64" },
    );
    // Ignores an account without bytes, which strangers may create by sending lamports.
    for (const [index, { orderId }] of asked.entries()) if (value[index]?.data[0]) marked.add(orderId);
  }
  return marked;
}
