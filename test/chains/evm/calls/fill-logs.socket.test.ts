import { id } from "ethers/hash";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillOf,
  movedInBlock,
  pancakeSwapTopic,
  takenByPool,
  unwrappedBy,
  v2SwapTopic,
  v3SwapTopic,
} from "../../../../lib/chains/evm/calls/fill-logs.ts";
import type { ContractLog } from "../../../../lib/chains/evm/calls/rpc-call.ts";
import type { SwapCall } from "../../../../lib/chains/evm/rules/intent.ts";
import { defaultChains } from "../../../../lib/infra/default-chains.ts";

const chain = defaultChains.eth;
const wrapped = chain.wrapped.token;
const [v2Router = "", v3Router = ""] = chain.venues.map(({ router }) => router);
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const pool = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const token = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

const word = (value: string | bigint) =>
  (typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0");

const event = (address: string, signature: string, indexed: string[], ...data: bigint[]): ContractLog => ({
  address,
  topics: [id(signature), ...indexed.map((value) => `0x${word(value)}`)],
  data: `0x${data.map(word).join("")}`,
});

const transfer = (address: string, from: string, to: string, amount: bigint) =>
  event(address, "Transfer(address,address,uint256)", [from, to], amount);
const deposit = (by: string, amount: bigint, address = wrapped) =>
  event(address, "Deposit(address,uint256)", [by], amount);
const withdrawal = (by: string, amount: bigint, address = wrapped) =>
  event(address, "Withdrawal(address,uint256)", [by], amount);

const call: SwapCall = {
  purpose: "swap",
  venue: "uniswap-v2",
  feeBps: 30,
  router: v2Router,
  side: "buy",
  token,
  recipient: wallet,
  value: 100n,
  amountIn: 100n,
  minAmountOut: 1n,
  deadline: 1000,
  hasRefund: false,
};

const fill = (changes: Partial<SwapCall>, ...logs: ContractLog[]) =>
  fillOf(chain, { ...call, ...changes }, wallet, logs);

describe("the events of swaps", () => {
  it.each([
    [v2SwapTopic, "Swap(address,uint256,uint256,uint256,uint256,address)"],
    [v3SwapTopic, "Swap(address,address,int256,int256,uint160,uint128,int24)"],
    [pancakeSwapTopic, "Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)"],
  ])("have the topic %s", (topic, signature) => {
    expect(topic).toBe(id(signature));
  });
});

describe("fillOf", () => {
  it("counts the coin that the router wrapped, and the tokens that reached the wallet", () => {
    const logs = [
      deposit(v2Router, 90n),
      transfer(wrapped, v2Router, pool, 90n),
      transfer(token, pool, wallet, 7n),
    ];
    expect(fill({}, ...logs)).toEqual({ spent: 90n, received: 7n });
  });

  it("counts the tokens that left the wallet, including taxes, and the coin that the router unwrapped", () => {
    const logs = [
      transfer(token, wallet, pool, 95n),
      transfer(token, wallet, token, 5n),
      withdrawal(v2Router, 8n),
    ];
    expect(fill({ side: "sell" }, ...logs)).toEqual({ spent: 100n, received: 8n });
  });

  it("subtracts refunds from a trade's amounts", () => {
    const logs = [
      transfer(token, wallet, pool, 95n),
      transfer(token, pool, wallet, 5n),
      withdrawal(v2Router, 8n),
    ];
    expect(fill({ side: "sell" }, ...logs)).toEqual({ spent: 90n, received: 8n });
    const bought = [
      transfer(token, pool, wallet, 7n),
      transfer(token, wallet, pool, 2n),
      deposit(v2Router, 1n),
    ];
    expect(fill({}, ...bought)).toEqual({ spent: 1n, received: 5n });
  });

  it("ignores events of other contracts, other routers and other types", () => {
    const others = [
      deposit(v2Router, 90n, token),
      deposit(v3Router, 90n),
      transfer(pool, wallet, wallet, 7n),
      transfer(token, pool, v2Router, 7n),
      event(token, "Transfer(address,address,uint256)", [pool, wallet, "0x07"]),
      event(token, "Approval(address,address,uint256)", [pool, wallet], 7n),
    ];
    expect(fill({}, ...others)).toEqual({ spent: 0n, received: 0n });
    expect(fill({ venue: "uniswap-v3", router: v3Router }, deposit(v3Router, 90n))).toEqual({
      spent: 90n,
      received: 0n,
    });
  });
});

describe("fillOf for a token that trades during its own transfers", () => {
  it("leaves out coin that the token itself wraps, after the payment on v2 or before it on v3", () => {
    const [first, second] = [90n, 40n];
    expect(fill({}, deposit(v2Router, first), deposit(v2Router, second)).spent).toBe(first);
    const v3 = { venue: "uniswap-v3", router: v3Router } as const;
    expect(fill(v3, deposit(v3Router, first), deposit(v3Router, second)).spent).toBe(second);
  });

  it("never returns a negative amount", () => {
    expect(fill({}, deposit(v2Router, 90n), transfer(token, wallet, pool, 7n)).received).toBe(0n);
    expect(fill({ side: "sell" }, transfer(token, pool, wallet, 7n)).spent).toBe(0n);
  });
});

describe("unwrappedBy", () => {
  it("leaves out coin that the token's own sale received through the same router", () => {
    const logs = [withdrawal(v2Router, 3n), withdrawal(v2Router, 4n), withdrawal(v3Router, 5n)];
    expect(unwrappedBy(v2Router, wrapped, [...logs, withdrawal(v2Router, 6n, token)])).toBe(4n);
    expect(unwrappedBy(wallet, wrapped, logs)).toBe(0n);
  });
});

describe("takenByPool", () => {
  it("reads the token's amount, whichever side of the pool the token is on", () => {
    const signature = "Swap(address,uint256,uint256,uint256,uint256,address)";
    const logs = [event(pool, signature, [v2Router, wallet], 11n, 22n, 33n, 44n)];
    // The token's address is below the wrapped coin's.
    expect(takenByPool({ pool, venue: "uniswap-v2" }, wrapped, token, logs)).toBe(11n);
    expect(takenByPool({ pool, venue: "uniswap-v2" }, token, wrapped, logs)).toBe(22n);
    expect(takenByPool({ pool: wallet, venue: "uniswap-v2" }, wrapped, token, logs)).toBe(0n);
    // The token contract itself sold some units earlier.
    const before = event(pool, signature, [v2Router, token], 100n, 0n, 0n, 1n);
    expect(takenByPool({ pool, venue: "uniswap-v2" }, wrapped, token, [before, ...logs])).toBe(11n);
  });

  it("adds up the bins that a swap in an LFJ pool logs, including the protocol's fees", () => {
    const signature = "Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)";
    const first = (amount: bigint) => amount;
    const second = (amount: bigint) => amount << 128n;
    const logs = [
      event(pool, signature, [v2Router, wallet], 8388608n, first(100n), second(7n), 0n, first(3n), first(1n)),
      event(pool, signature, [v2Router, wallet], 8388607n, first(10n), second(5n), 0n, first(2n), first(0n)),
    ];
    const lfj = { pool, venue: "lfj-v2.1" } as const;
    expect(takenByPool(lfj, wrapped, token, logs)).toBe(111n);
    const sold = event(
      pool,
      signature,
      [v2Router, wallet],
      1n,
      second(100n),
      first(7n),
      0n,
      second(3n),
      second(1n),
    );
    expect(takenByPool(lfj, wrapped, token, [sold])).toBe(101n);
    expect(takenByPool({ ...lfj, pool: wallet }, wrapped, token, logs)).toBe(0n);
  });
});

describe("movedInBlock", () => {
  type Swap = { side: "buy" | "sell"; units: bigint };
  const buy = (units: bigint): Swap => ({ side: "buy", units });
  const sell = (units: bigint): Swap => ({ side: "sell", units });

  /** Returns the logs of a swap of an honest token in a v2 pool. */
  const logsOf = ({ side, units }: Swap): ContractLog[] => {
    const [taken, paid, from, to] = side === "buy" ? [0n, units, pool, wallet] : [units, 0n, wallet, pool];
    return [
      transfer(token, from, to, units),
      event(
        pool,
        "Swap(address,uint256,uint256,uint256,uint256,address)",
        [v2Router, wallet],
        taken,
        0n,
        paid,
        0n,
      ),
    ];
  };

  /** @param unexplained Units that the block added to the wallet's balance beyond what the events show. */
  function moved(swaps: readonly Swap[], unexplained: bigint, failed: Swap[] = []): (bigint | undefined)[] {
    const all = [...swaps, ...failed].map((swap, index) => ({
      hash: `${index}`,
      swap: { ...call, side: swap.side, amountIn: swap.units },
      logs: failed.includes(swap) ? [] : logsOf(swap),
    }));
    const traded = swaps.reduce((sum, { side, units }) => sum + (side === "buy" ? units : -units), 0n);
    const units = movedInBlock(chain, { wallet, token }, all, traded + unexplained);
    return all.map(({ hash }) => units.get(hash));
  }

  it.each<[string, Swap[], bigint, bigint[]]>([
    ["trusts events that explain the difference", [buy(100n), sell(99n)], 0n, [100n, 99n]],
    ["shares a stranger's units by the swaps' sizes", [buy(100n), sell(99n)], 50n, [125n, 74n]],
    ["shares a few units with a sale first", [sell(100n), buy(99n)], 2n, [99n, 100n]],
    ["shares units between purchases in proportion", [buy(100n), buy(300n)], 40n, [110n, 330n]],
    ["shares losses between sales in proportion", [sell(60n), sell(40n)], -50n, [90n, 60n]],
    ["gives the rounding to the last swap", [buy(100n), buy(100n), buy(100n)], 5n, [101n, 101n, 103n]],
    ["gives a purchase the units that exceed a sale", [buy(100n), sell(99n)], 5000n, [5001n, 0n]],
    ["lets no sale exceed its amount next to a purchase", [buy(100n), sell(99n)], -50n, [50n, 99n]],
    ["leaves out losses beyond all purchases", [sell(99n), buy(100n)], -150n, [99n, 0n]],
    [
      "takes from others what a small purchase cannot lose",
      [buy(167n), buy(152n), buy(15n)],
      -333n,
      [1n, 0n, 0n],
    ],
    ["gives the only swap the whole difference", [sell(100n)], 30n, [70n]],
  ])("%s", (_, swaps, unexplained, expected) => {
    expect(moved(swaps, unexplained)).toEqual(expected);
  });

  it("leaves out swaps that failed", () => {
    expect(moved([buy(100n), buy(200n)], 5n, [sell(50n)])).toEqual([101n, 204n, undefined]);
    expect(moved([sell(100n)], -5n, [buy(50n)])).toEqual([105n, undefined]);
  });

  it("distributes no more unexplained units than there are, and preserves the total if a purchase remains", () => {
    const swap = fc.record({ side: fc.constantFrom("buy", "sell"), units: fc.bigInt(1n, 200n) });
    const swaps = fc.array(swap, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(swaps, fc.bigInt(-500n, 500n), (some, unexplained) => {
        const units = moved(some, unexplained);
        const errors = some.map(({ side, units: own }, index) => {
          const error = (units[index] ?? 0n) - own;
          return side === "buy" ? error : -error;
        });
        const [low, high] = unexplained < 0n ? [unexplained, 0n] : [0n, unexplained];
        expect(errors.every((error) => error >= low && error <= high)).toBe(true);
        const total = errors.reduce((sum, error) => sum + error, 0n);
        const hasBought = some.some(({ side }, index) => side === "buy" && units[index] !== 0n);
        if (hasBought) expect(total).toBe(unexplained);
      }),
    );
  });
});
