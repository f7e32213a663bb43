import { setTimeout as pause } from "node:timers/promises";
import type { Address } from "@solana/web3.js";
import { Interface, type Result } from "ethers/abi";
import type { AnvilCall } from "trading-terminal-devnet/evm/call-anvil";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { readAccounts } from "trading-terminal-devnet/sol/made-accounts";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import type { ChainAccess } from "../trade/chain-access.ts";
import type { SolAccess } from "../trade/sol/sol-access.ts";
import type { Market, Pool, PriceRecord, Route } from "./pools.ts";

/** Prices of all chains as their nodes showed them, oldest first. */
export type PriceRecords = AsyncDisposable & {
  of(chain: TradingChain): readonly PriceRecord[];
  /** Forgets what sol has shown, once the chain has started over. */
  forgetSol(): void;
};

const { wrapped, moon, usdx, star, taxd, v2Factory, v3Factory, pancakeFactory } = localAddresses;

/** All pools that the service may use for these tokens, by the factory and the fee in millionths. */
const places = {
  moonV2: [v2Factory, moon, wrapped, 3000],
  moonV3: [v3Factory, moon, wrapped, 3000],
  moonUsdxV3: [v3Factory, moon, usdx, 3000],
  starV2: [v2Factory, star, usdx, 3000],
  starV3: [v3Factory, star, usdx, 3000],
  starPancake: [pancakeFactory, star, usdx, 2500],
  taxdV2: [v2Factory, taxd, wrapped, 3000],
  taxdUsdxV2: [v2Factory, taxd, usdx, 3000],
  usdxV2: [v2Factory, usdx, wrapped, 3000],
  usdxV3: [v3Factory, usdx, wrapped, 500],
  usdxPancake: [pancakeFactory, usdx, wrapped, 100],
} as const;

type Name = keyof typeof places;
const names = Object.keys(places) as Name[];

/** Pools that one transaction of a router can use, with the bridge to the coin first. */
const routes: Readonly<Record<string, { tax: number; ways: readonly (readonly Name[])[] }>> = {
  [moon]: { tax: 0, ways: [["moonV2"], ["moonV3"], ["usdxV3", "moonUsdxV3"]] },
  [star]: {
    tax: 0,
    ways: [
      ["usdxV2", "starV2"],
      ["usdxV3", "starV2"],
      ["usdxV3", "starV3"],
      ["usdxPancake", "starPancake"],
    ],
  },
  [taxd]: { tax: 0.05, ways: [["taxdV2"], ["usdxV2", "taxdUsdxV2"], ["usdxV3", "taxdUsdxV2"]] },
};

const abi = new Interface([
  "function getPair(address, address) view returns (address pool)",
  "function getPool(address, address, uint24) view returns (address pool)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)",
  "function liquidity() view returns (uint128)",
]);

const isV2 = (name: Name) => places[name][0] === v2Factory;

const callOf = (to: string, method: string, parameters: unknown[], block: unknown): AnvilCall => [
  "eth_call",
  [{ to, data: abi.encodeFunctionData(method, parameters) }, block],
];

async function poolsOf({ requestAll }: ChainAccess): Promise<ReadonlyMap<Name, string>> {
  const answers = await requestAll(
    names.map((name) => {
      const [factory, token, other, fee] = places[name];
      return isV2(name)
        ? callOf(factory, "getPair", [token, other], "latest")
        : callOf(factory, "getPool", [token, other, fee], "latest");
    }),
  );
  return new Map(
    names.map((name, index) => [name, abi.decodeFunctionResult("getPair", String(answers[index]))[0]]),
  );
}

function poolFrom(name: Name, [state, liquidity]: readonly Result[]): Pool {
  const [, token, other, fee] = places[name];
  const [first, second] = BigInt(token) < BigInt(other) ? [token, other] : [other, token];
  // A v3 pool trades like one with these reserves, as each has a single position.
  const root = Number(state?.[0]) / 2 ** 96;
  const depth = Number(liquidity?.[0]);
  const [held, heldOfSecond] =
    liquidity === undefined ? [Number(state?.[0]), Number(state?.[1])] : [depth / root, depth * root];
  return { reserves: { [first]: held, [second]: heldOfSecond }, fee: fee / 1e6 };
}

async function readMarkets(
  { requestAll }: ChainAccess,
  pools: ReadonlyMap<Name, string>,
  blockHash: string,
): Promise<ReadonlyMap<string, Market>> {
  const methods = names.map((name) => (isV2(name) ? ["getReserves"] : ["slot0", "liquidity"]));
  const answers = await requestAll(
    names.flatMap((name, index) =>
      (methods[index] ?? []).map((method) => callOf(pools.get(name) as string, method, [], { blockHash })),
    ),
  );
  const read = names.map((name, index) => {
    const results = (methods[index] ?? []).map((method) =>
      abi.decodeFunctionResult(method, String(answers.shift())),
    );
    return [name, poolFrom(name, results)] as const;
  });
  const found = new Map(read);
  return new Map(
    Object.entries(routes).map(([token, { tax, ways }]) => [
      token,
      {
        tax,
        routes: ways.map((way): Route => {
          const path = way.length === 1 ? [wrapped, token] : [wrapped, usdx, token];
          return { path, pools: way.map((name) => found.get(name) as Pool) };
        }),
      },
    ]),
  );
}

/** Number of blocks before the head that are read again, as they may have been replaced. */
const mostReplaced = 3;

function recordEvm(access: ChainAccess, records: PriceRecord[]): () => Promise<void> {
  const known = new Set<string>();
  let pools: ReadonlyMap<Name, string> | undefined;
  let newest: { number: number; hash: string } | undefined;
  type Block = { number: string; hash: string } | null;
  const blockAt = async (tag: string) => (await access.request("eth_getBlockByNumber", tag, false)) as Block;
  return async () => {
    pools ??= await poolsOf(access);
    const head = await blockAt("latest");
    if (head === null || head.hash === newest?.hash) return;
    const from = Math.max(
      0,
      Math.min(Number(head.number) - mostReplaced, newest?.number ?? Number(head.number)),
    );
    for (
      let number = newest === undefined ? Number(head.number) : from;
      number <= Number(head.number);
      number++
    ) {
      const block = number === Number(head.number) ? head : await blockAt(`0x${number.toString(16)}`);
      if (block === null || known.has(block.hash)) continue;
      const markets = await readMarkets(access, pools, block.hash);
      known.add(block.hash);
      records.push({ atMs: Date.now(), number, hash: block.hash, markets });
    }
    newest = { number: Number(head.number), hash: head.hash };
  };
}

/** Fee of Raydium's pools on the local chain, and the transfer fee of FEEZ. */
const feeOfCpmm = 0.0025;
const taxes: Readonly<Record<string, number>> = { MOON: 0, FEEZ: 0.01 };

/** Byte at which an account of a token has its amount. */
const amountAt = 64;

function recordSol({ deployment, request }: SolAccess, records: PriceRecord[]): () => Promise<void> {
  const tokens = Object.entries(taxes).map(([symbol, tax]) => ({
    ...deployment.tokens[symbol as "MOON" | "FEEZ"],
    tax,
  }));
  const accounts: Address[] = tokens.flatMap(({ vaults }) => [vaults.coin, vaults.token]);
  return async () => {
    const slot = await request<number>("getSlot", { commitment: "processed" });
    const found = await readAccounts((method, params = []) => request(method, ...params), accounts);
    const amounts = found.map((account) => Number(account?.data.readBigUInt64LE(amountAt) ?? 0n));
    const markets = tokens.map(({ mint, tax }, index) => {
      const reserves = { native: amounts[2 * index] ?? 0, [mint]: amounts[2 * index + 1] ?? 0 };
      return [
        mint,
        { tax, routes: [{ path: ["native", mint], pools: [{ reserves, fee: feeOfCpmm }] }] },
      ] as const;
    });
    records.push({ atMs: Date.now(), number: slot, hash: `${slot}`, markets: new Map(markets) });
  };
}

/** Milliseconds between two looks at a chain. */
const everyMs = 250;

/** Records the state of all pools in each block until disposed. */
export function recordPrices(chains: readonly ChainAccess[], sol: SolAccess): PriceRecords {
  const records = new Map<TradingChain, PriceRecord[]>();
  const ending = new AbortController();
  const listOf = (chain: TradingChain) => {
    const own = records.get(chain) ?? [];
    records.set(chain, own);
    return own;
  };
  const looks = [
    ...chains.map((access) => recordEvm(access, listOf(access.chain))),
    recordSol(sol, listOf("sol")),
  ];
  const recording = looks.map(async (look) => {
    while (!ending.signal.aborted) {
      // Ignores errors, because the runner may be down. The audit does not judge times without records.
      await look().catch(() => {});
      await pause(everyMs);
    }
  });
  return {
    of: listOf,
    forgetSol: () => void listOf("sol").splice(0),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(recording);
    },
  };
}
