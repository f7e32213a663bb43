import { setTimeout as pause } from "node:timers/promises";
import { Interface } from "ethers/abi";
import { localAddresses, localContracts } from "trading-terminal-devnet/evm/deployment";
import type { EvmChain } from "../../../lib/core/chain-facts.ts";
import type { ChainAccess } from "./chain-access.ts";
import type { Account, Balances, ChainFacts, MinedTransaction } from "./facts.ts";

const { moon, usdx, taxd, trap, star, comet, wrapped } = localAddresses;

export const tradedTokens = [moon, usdx, taxd, trap, star, comet];

const routersOf = (chain: EvmChain) => [...new Set(localContracts(chain).venues.map(({ router }) => router))];

const tokenABI = new Interface([
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address, address) view returns (uint256)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Deposit(address indexed to, uint256 value)",
  "event Withdrawal(address indexed from, uint256 value)",
]);

type RawTransaction = {
  hash: string;
  from: string;
  to: string;
  nonce: string;
  input: string;
  r: string;
  s: string;
};
type RawLog = { address: string; topics: string[]; data: string };
type RawReceipt = {
  transactionHash: string;
  status: string;
  gasUsed: string;
  effectiveGasPrice: string;
  logs: RawLog[];
};
type RawBlock = { timestamp: string; transactions: RawTransaction[] };

const heldCall = (token: string, owner: string) =>
  ["eth_call", [{ to: token, data: tokenABI.encodeFunctionData("balanceOf", [owner]) }, "latest"]] as const;

/** Reads an address's balances of the coin and each token. */
export async function readBalances({ requestAll }: ChainAccess, owner: string): Promise<Balances> {
  const answers = await requestAll([
    ["eth_getBalance", [owner, "latest"]],
    ...tradedTokens.map((token) => heldCall(token, owner)),
  ]);
  const units = answers.map((answer) => BigInt(answer as string));
  return new Map(["native", ...tradedTokens].map((token, index) => [token, units[index] ?? 0n]));
}

export type ReadOptions = {
  /** Initial balances of the wallets. */
  before: ReadonlyMap<string, Balances>;
  /** Hashes of transactions that the run itself sent with the wallets' keys. */
  foreign: ReadonlySet<string>;
  /** Called with hex parts of signed bytes that no log or response may contain. */
  noteSigned(parts: string[]): void;
};

/** Retries a missing block, because a node may briefly not serve it after a reorganisation. */
async function readBlock(access: ChainAccess, tag: string): Promise<[RawBlock, RawReceipt[]]> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const [block, receipts] = (await access.requestAll([
      ["eth_getBlockByNumber", [tag, true]],
      ["eth_getBlockReceipts", [tag]],
    ])) as [RawBlock | null, RawReceipt[] | null];
    if (block !== null && receipts !== null) return [block, receipts];
    await pause(500);
  }
  throw new Error(`${access.chain} has no block ${Number(tag)}`);
}

/** Reads all of a chain's blocks and the balances of wallets and routers, without the service's code. */
export async function readChain(access: ChainAccess, options: ReadOptions): Promise<ChainFacts> {
  const { before, foreign, noteSigned } = options;
  const wallets = new Map([...before.keys()].map((wallet) => [wallet.toLowerCase(), wallet]));
  const transactions: MinedTransaction[] = [];
  const routers = routersOf(access.chain);
  const head = await access.head();
  for (let number = 0; number <= head; number++) {
    const tag = `0x${number.toString(16)}`;
    const [block, receipts] = await readBlock(access, tag);
    for (const [index, transaction] of block.transactions.entries()) {
      const wallet = wallets.get(transaction.from.toLowerCase());
      const receipt = receipts[index];
      if (wallet === undefined || receipt === undefined) continue;
      const { r, s, hash } = transaction;
      noteSigned([r, s].map((part) => part.slice(2)));
      const isForeign = foreign.has(hash);
      transactions.push({
        ...minedOf(routers, wallet, transaction, receipt),
        isForeign,
        time: Number(block.timestamp),
      });
    }
  }
  const accounts = [...before].map(async ([wallet, start]): Promise<[string, Account]> => {
    const [latest, pending] = await access.requestAll([
      ["eth_getTransactionCount", [wallet, "latest"]],
      ["eth_getTransactionCount", [wallet, "pending"]],
    ]);
    const nonce = { latest: Number(latest), pending: Number(pending) };
    return [wallet, { before: start, after: await readBalances(access, wallet), nonce }];
  });
  const allowances = await Promise.all([...before.keys()].map((wallet) => allowancesOf(access, wallet)));
  return {
    accounts: new Map(await Promise.all(accounts)),
    transactions,
    stray: await strayIn(access),
    allowances: allowances.flat(),
  };
}

async function allowancesOf({ chain, requestAll }: ChainAccess, wallet: string) {
  const asked = routersOf(chain).flatMap((router) =>
    tradedTokens.map((token) => ({
      wallet,
      token,
      router,
      data: tokenABI.encodeFunctionData("allowance", [wallet, router]),
    })),
  );
  const answers = await requestAll(
    asked.map(({ token, data }) => ["eth_call", [{ to: token, data }, "latest"]] as const),
  );
  return asked
    .map(({ data: _, ...each }, index) => ({ ...each, units: BigInt(answers[index] as string) }))
    .filter(({ units }) => units > 0n);
}

/** Sums coin and tokens left in routers, where anyone could take them. */
async function strayIn({ chain, requestAll }: ChainAccess): Promise<bigint> {
  const answers = await requestAll(
    routersOf(chain).flatMap((router) => [
      ["eth_getBalance", [router, "latest"]] as const,
      ...[wrapped, ...tradedTokens].map((token) => heldCall(token, router)),
    ]),
  );
  return answers.map((answer) => BigInt(answer as string)).reduce((sum, units) => sum + units, 0n);
}

function minedOf(
  routers: readonly string[],
  wallet: string,
  transaction: RawTransaction,
  receipt: RawReceipt,
) {
  const { hash, nonce, to, input } = transaction;
  const isClear = to.toLowerCase() === wallet.toLowerCase() && input === "0x";
  const tokens = new Map<string, bigint>();
  let wrappedUnits = 0n;
  let unwrapped = 0n;
  for (const { address, topics, data } of receipt.logs) {
    const event = tokenABI.parseLog({ topics, data });
    const token = [...tradedTokens, wrapped].find((each) => each.toLowerCase() === address);
    if (event === null || token === undefined) continue;
    const { from, to: taker } = event.args;
    const value = BigInt(event.args.value);
    const isRouters = routers.includes(event.args[0]);
    if (event.name === "Deposit" && isRouters) wrappedUnits += value;
    if (event.name === "Withdrawal" && isRouters) unwrapped += value;
    if (event.name !== "Transfer") continue;
    const gained = (taker === wallet ? value : 0n) - (from === wallet ? value : 0n);
    if (gained !== 0n) tokens.set(token, (tokens.get(token) ?? 0n) + gained);
  }
  const purpose = isClear ? "clear" : input.startsWith("0x095ea7b3") ? "approve" : "swap";
  return {
    hash,
    wallet,
    nonce: Number(nonce),
    purpose: purpose as MinedTransaction["purpose"],
    isOk: receipt.status === "0x1",
    fee: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice),
    tokens,
    wrapped: wrappedUnits,
    unwrapped,
  };
}
