import { Interface, type Result } from "ethers/abi";
import type { EvmChain } from "trading-terminal-devnet/chain-facts";
import type { AnvilCall } from "trading-terminal-devnet/evm/call-anvil";
import { judgedTokens, type Place, type Way, waysTo } from "./places.ts";
import type { Market, Pool, PriceRecord } from "./pools.ts";

/** The node of an EVM chain. */
export type EvmNode = {
  chain: EvmChain;
  requestAll: (calls: readonly AnvilCall[]) => Promise<unknown[]>;
};

/** A pool that exists, with its fee as a share. */
type Found = { place: Place; address: string; fee: number; first: string };

const abi = new Interface([
  "function getPair(address, address) view returns (address pool)",
  "function getPool(address, address, uint24) view returns (address pool)",
  "function getPool(address, address, int24) view returns (address pool)",
  "function getLBPairInformation(address, address, uint256) view returns (uint16, address pool, bool, bool)",
  "function fee() view returns (uint24)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)",
  "function liquidity() view returns (uint128)",
  "function getTokenX() view returns (address)",
  "function getActiveId() view returns (uint24)",
  "function getBin(uint24) view returns (uint128, uint128)",
]);

type Question = readonly [to: string, method: string, ...parameters: unknown[]];

async function ask(
  { requestAll }: EvmNode,
  block: unknown,
  questions: readonly Question[],
): Promise<Result[]> {
  if (questions.length === 0) return [];
  const answers = await requestAll(
    questions.map(([to, method, ...parameters]): AnvilCall => {
      const data = abi.encodeFunctionData(method, parameters);
      return ["eth_call", [{ to, data }, block]];
    }),
  );
  return questions.map(([, method], index) => abi.decodeFunctionResult(method, String(answers[index])));
}

/** How a factory finds each kind of pool. */
const finders = {
  v2: "getPair",
  v3: "getPool(address,address,uint24)",
  slipstream: "getPool(address,address,int24)",
  bins: "getLBPairInformation",
} as const;

const finding = ({ kind, factory, token, other, key }: Place): Question => [
  factory,
  finders[kind],
  token,
  other,
  ...(kind === "v2" ? [] : [key]),
];

const nameOf = ({ factory, token, other, key }: Place) => `${factory} ${token} ${other} ${key}`;

/** Finds the ways to each token whose pools all exist. */
async function findWays(node: EvmNode): Promise<ReadonlyMap<string, readonly Found[][]>> {
  const ways = Object.keys(judgedTokens).map((token) => [token, waysTo(token, node.chain)] as const);
  const places = new Map(ways.flatMap(([, own]) => own.flat()).map((place) => [nameOf(place), place]));
  const listed = [...places.values()];
  const answers = await ask(node, "latest", listed.map(finding));
  const found = new Map<string, Found>();
  for (const [index, place] of listed.entries()) {
    const address: string = answers[index]?.pool;
    if (BigInt(address) === 0n) continue;
    found.set(nameOf(place), { place, address, ...(await constantsOf(node, place, address)) });
  }
  const existing = (way: Way) => way.flatMap((place) => found.get(nameOf(place)) ?? []);
  return new Map(
    ways.map(([token, own]) => [
      token,
      own
        .map((way) => [way, existing(way)] as const)
        .flatMap(([way, pools]) => (pools.length === way.length ? [pools] : [])),
    ]),
  );
}

/** Reads a pool's fee and first token. */
async function constantsOf(
  node: EvmNode,
  { kind, token, other, key }: Place,
  address: string,
): Promise<Pick<Found, "fee" | "first">> {
  const first = BigInt(token) < BigInt(other) ? token : other;
  if (kind === "v2" || kind === "v3") return { first, fee: key / 1e6 };
  if (kind === "bins") {
    const [[tokenX] = []] = await ask(node, "latest", [[address, "getTokenX"]]);
    return { first: tokenX, fee: key / 1e4 };
  }
  const [[fee] = []] = await ask(node, "latest", [[address, "fee"]]);
  return { first, fee: Number(fee) / 1e6 };
}

/** Number of bins on each side of the active one that orders may reach. */
const binsAway = 8;

/** Id of the bin whose price is 1. */
const middleBin = 2 ** 23;

/** Questions about the state of each kind of pool. */
const stateOf = {
  v2: ["getReserves"],
  v3: ["slot0", "liquidity"],
  slipstream: ["slot0", "liquidity"],
  bins: ["getActiveId"],
} as const;

/** Reads the state of pools in a block: of all at once, and then the bins around the active ones. */
async function readPools(
  node: EvmNode,
  block: unknown,
  pools: readonly Found[],
): Promise<ReadonlyMap<Found, Pool>> {
  const read = async (questionsOf: (found: Found) => readonly Question[]) => {
    const questions = pools.map(questionsOf);
    const answers = await ask(node, block, questions.flat());
    return new Map(pools.map((found, index) => [found, answers.splice(0, questions[index]?.length)]));
  };
  const states = await read(({ address, place }) => stateOf[place.kind].map((method) => [address, method]));
  const idsOf = (found: Found) => {
    if (found.place.kind !== "bins") return [];
    const active = Number(states.get(found)?.[0]?.[0]);
    return Array.from({ length: 2 * binsAway + 1 }, (_, index) => active - binsAway + index);
  };
  const bins = await read((found) => idsOf(found).map((id) => [found.address, "getBin", id]));
  const poolFrom = (found: Found): Pool => {
    const { place, first, fee } = found;
    const second = first === place.token ? place.other : place.token;
    const held = bins.get(found) ?? [];
    if (held.length === 0) return { fee, reserves: reservesOf(states.get(found) ?? [], first, second) };
    return {
      fee,
      first,
      active: binsAway,
      bins: idsOf(found).map((id, index) => ({
        price: (1 + fee) ** (id - middleBin),
        held: { [first]: Number(held[index]?.[0]), [second]: Number(held[index]?.[1]) },
      })),
    };
  };
  return new Map(pools.map((found) => [found, poolFrom(found)]));
}

function reservesOf([state, liquidity]: readonly Result[], first: string, second: string) {
  if (liquidity === undefined) return { [first]: Number(state?.[0]), [second]: Number(state?.[1]) };
  // Trades a v3 pool like one with these reserves, because each has a single position.
  const root = Number(state?.[0]) / 2 ** 96;
  const depth = Number(liquidity[0]);
  return { [first]: depth / root, [second]: depth * root };
}

function marketsOf(
  ways: ReadonlyMap<string, readonly Found[][]>,
  pools: ReadonlyMap<Found, Pool>,
): ReadonlyMap<string, Market> {
  const routeOf = (way: readonly Found[]) => ({
    path: [...way.map(({ place }) => place.other), way.at(-1)?.place.token ?? ""],
    pools: way.map((found) => pools.get(found) as Pool),
  });
  return new Map(
    [...ways].map(([token, own]) => [
      token,
      { tax: judgedTokens[token]?.tax ?? 0, routes: own.map(routeOf) },
    ]),
  );
}

/** Number of blocks before the head that are read again, as they may have been replaced. */
const mostReplaced = 3;

/**
 * Returns the time at which the chain showed a block, because a busy machine may look at it much later. The block's own
 * time is only in seconds.
 */
const shownMs = ({ timestamp }: { timestamp: string }) =>
  Math.min(Date.now(), 1000 * (Number(timestamp) + 1));

/** Makes a look, which records the markets in each block that it has not seen. */
export function recordEvm(node: EvmNode, records: PriceRecord[]): () => Promise<void> {
  const known = new Set<string>();
  let ways: ReadonlyMap<string, readonly Found[][]> | undefined;
  let newest: { number: number; hash: string } | undefined;
  type Block = { number: string; hash: string; timestamp: string } | null;
  const blockAt = async (tag: string) =>
    (await node.requestAll([["eth_getBlockByNumber", [tag, false]]]))[0] as Block;
  return async () => {
    ways ??= await findWays(node);
    const pools = [...new Set([...ways.values()].flat(2))];
    const head = await blockAt("latest");
    if (head === null || head.hash === newest?.hash) return;
    const top = Number(head.number);
    const from = newest === undefined ? top : Math.max(0, Math.min(top - mostReplaced, newest.number));
    for (let number = from; number <= top; number++) {
      const block = number === top ? head : await blockAt(`0x${number.toString(16)}`);
      if (block === null || known.has(block.hash)) continue;
      const { hash } = block;
      const markets = marketsOf(ways, await readPools(node, { blockHash: hash }, pools));
      known.add(hash);
      records.push({ atMs: Math.max(records.at(-1)?.atMs ?? 0, shownMs(block)), number, hash, markets });
    }
    newest = { number: top, hash: head.hash };
  };
}
