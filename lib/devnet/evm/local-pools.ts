import { Interface, type Result } from "ethers/abi";
import { askContracts, type ContractQuestion } from "./call-anvil.ts";
import { deployer, localAddresses } from "./deployment.ts";
import type { LocalVenue } from "./local-contracts.ts";
import { approval, type DeployerTransaction } from "./uniswap.ts";

export type PoolLog = { address: string; topics: string[]; data: string };

/** A pool that trades a token, as it is now. Prices are in base units of the other token for one of the token. */
export type LocalPool = {
  name: string;
  address: string;
  other: string;
  price: number;
  /** Lists the deployer's transactions that multiply the price. */
  tradesFor(factor: number): Promise<DeployerTransaction[]>;
  /** Reads the price in one of the pool's logs. 0 if nothing trades at it, and undefined for other logs. */
  priceIn(log: PoolLog): number | undefined;
};

/** State of a pool. Ratios are units of its second token for one of the first. */
type State = {
  /** The first token, if it is not the one with the lower address. */
  first?: string;
  ratio: number;
  /** @param rise Factor of the ratio. The pool gets the token `paid`. */
  tradesFor(rise: number, paid: string, bought: string): Promise<DeployerTransaction[]>;
  /** @param args Values of the pool's event, after a trade. */
  ratioIn(args: Result): number;
};

type Place = { venue: LocalVenue["venue"]; feeBps: number; address: string; other: string };

type ReadState = (url: string, place: Place) => Promise<State | undefined>;

const abi = new Interface([
  "function getPair(address, address) view returns (address pool)",
  "function getPool(address, address, uint24) view returns (address pool)",
  "function getPool(address, address, int24) view returns (address pool)",
  "function getLBPairInformation(address, address, uint256) view returns (uint16, address pool, bool, bool)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)",
  "function liquidity() view returns (uint128)",
  "function fee() view returns (uint24)",
  "function getActiveId() view returns (uint24)",
  "function getBinStep() view returns (uint16)",
  "function getTokenX() view returns (address)",
  "function getBin(uint24) view returns (uint128 x, uint128 y)",
  "function transfer(address, uint256) returns (bool)",
  "function swap(bool, address)",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)",
  "function exactInputSingle((address, address, uint24, address, uint256, uint256, uint160)) payable",
  "event Sync(uint112, uint112)",
  "event Swap(address indexed, address indexed, int256, int256, uint160, uint128, int24)",
  "event Swap(address indexed, address indexed, uint24, bytes32, bytes32, uint24, bytes32, bytes32)",
]);

const { v2Router, v3Router, pancakeRouter } = localAddresses;
const forever = 2n ** 40n;

/** Finds the pools of a token and all other local tokens. Returns a reader for each. */
export async function findPools(
  url: string,
  venues: readonly LocalVenue[],
  token: string,
): Promise<(() => Promise<LocalPool | undefined>)[]> {
  const { wrapped, moon, usdx, taxd, trap, star, comet } = localAddresses;
  const others = [wrapped, usdx, moon, taxd, trap, star, comet].filter((other) => other !== token);
  const asked = venues.flatMap((venue) =>
    tiersOf(venue).flatMap(([feeBps, ...key]) =>
      others.map((other) => {
        const question: ContractQuestion = [venue.factory, factoryMethod(venue), token, other, ...key];
        return { question, venue: venue.venue, feeBps, other };
      }),
    ),
  );
  const questions = asked.map(({ question }) => question);
  const answers = await askContracts(url, abi, questions);
  return asked
    .map((each, index): Place => ({ ...each, address: answers[index]?.pool }))
    .filter(({ address }) => BigInt(address) !== 0n)
    .map((place) => () => readPool(url, token, place));
}

/** Lists the fees of an exchange in basis points, each with what finds its pools. */
function tiersOf(venue: LocalVenue): (readonly [feeBps: number, ...key: number[]])[] {
  if ("feeBps" in venue) return [[venue.feeBps]];
  return venue.tiers.map((tier) =>
    typeof tier === "number" ? [tier, tier * 100] : [tier.feeBps, tier.spacing],
  );
}

function factoryMethod({ venue }: LocalVenue): string {
  if (venue === "uniswap-v2") return "getPair";
  if (venue.startsWith("lfj")) return "getLBPairInformation";
  return `getPool(address,address,${venue.startsWith("slipstream") ? "int24" : "uint24"})`;
}

async function readPool(url: string, token: string, place: Place): Promise<LocalPool | undefined> {
  const { venue, feeBps, address, other } = place;
  const readState = venue === "uniswap-v2" ? readV2 : venue.startsWith("lfj") ? readBins : readV3;
  const state = await readState(url, place);
  if (state === undefined) return undefined;
  const isFirst = state.first === undefined ? BigInt(token) < BigInt(other) : state.first === token;
  const priceOf = (ratio: number) => (isFirst || ratio === 0 ? ratio : 1 / ratio);
  return {
    name: `${venue} ${feeBps / 100} %`,
    address,
    other,
    price: priceOf(state.ratio),
    tradesFor: (factor) =>
      state.tradesFor(
        priceOf(factor),
        ...((factor > 1 ? [other, token] : [token, other]) as [string, string]),
      ),
    priceIn(log) {
      const event = abi.parseLog(log);
      return event === null ? undefined : priceOf(state.ratioIn(event.args));
    },
  };
}

const readV2: ReadState = async (url, { address, feeBps }) => {
  const [[first, second] = []] = await askContracts(url, abi, [[address, "getReserves"]]);
  const kept = 1 - feeBps / 10_000;
  /** Solves (1 + part) (1 + kept part) = rise, where the part is what to pay of the reserve. */
  const partFor = (rise: number) =>
    (Math.sqrt((1 + kept) ** 2 - 4 * kept * (1 - rise)) - 1 - kept) / (2 * kept);
  return {
    ratio: Number(second) / Number(first),
    async tradesFor(rise, paid, bought) {
      const amount = rise > 1 ? Number(second) * partFor(rise) : Number(first) * partFor(1 / rise);
      const parameters = [BigInt(Math.floor(amount)), 0, [paid, bought], deployer, forever];
      const method = "swapExactTokensForTokensSupportingFeeOnTransferTokens";
      return [approval(paid, v2Router), { to: v2Router, data: abi.encodeFunctionData(method, parameters) }];
    },
    ratioIn: ([first, second]) => Number(second) / Number(first),
  };
};

const readV3: ReadState = async (url, { address, venue }) => {
  const questions = ["slot0", "liquidity", "fee"].map((method) => [address, method] as const);
  const [[root] = [], [liquidity] = [], [fee] = []] = await askContracts(url, abi, questions);
  const ratioAt = (root: bigint) => (Number(root) / 2 ** 96) ** 2;
  // The pools of Slipstream's stand-in belong to PancakeSwap's factory, whose router knows limits of prices.
  const router = venue === "uniswap-v3" ? v3Router : pancakeRouter;
  return liquidity === 0n
    ? undefined
    : {
        ratio: ratioAt(root),
        async tradesFor(rise, paid, bought) {
          const limit = BigInt(Math.round(Number(root) * Math.sqrt(rise)));
          // Names more than the pool takes before it reaches the limit.
          const swap = [paid, bought, fee, deployer, 2n ** 120n, 0, limit];
          const data = abi.encodeFunctionData("exactInputSingle", [swap]);
          return [approval(paid, router), { to: router, data }];
        },
        ratioIn: ([, , , , root, left]) => (left === 0n ? 0 : ratioAt(root)),
      };
};

const readBins: ReadState = async (url, { address }) => {
  const questions = ["getActiveId", "getBinStep", "getTokenX"].map((method) => [address, method] as const);
  const [[active] = [], [step] = [], [first] = []] = await askContracts(url, abi, questions);
  const fee = Number(step) / 10_000;
  const ratioAt = (id: bigint) => (1 + fee) ** (Number(id) - 2 ** 23);
  return {
    first,
    ratio: ratioAt(active),
    async tradesFor(rise, paid) {
      const crossed = Math.round(Math.log(rise) / Math.log(1 + fee));
      if (crossed === 0) return [];
      const ids = Array.from({ length: Math.abs(crossed) + 1 }, (_, away) =>
        crossed > 0 ? active + BigInt(away) : active - BigInt(away),
      );
      const held = ids.map((id) => [address, "getBin", id] as const);
      const toEmpty = (await askContracts(url, abi, held)).map(([x, y], index) => {
        const ratio = ratioAt(ids[index] ?? active);
        return (crossed > 0 ? Number(x) * ratio : Number(y) / ratio) / (1 - fee);
      });
      // Empties all bins before the last one, and half of that one.
      const amount = toEmpty.reduce((sum, each) => sum + each, 0) - (toEmpty.at(-1) ?? 0) / 2;
      const data = abi.encodeFunctionData("swap", [crossed < 0, deployer]);
      return [
        { to: paid, data: abi.encodeFunctionData("transfer", [address, BigInt(Math.round(amount))]) },
        { to: address, data },
      ];
    },
    ratioIn: ([, , id]) => ratioAt(id),
  };
};
