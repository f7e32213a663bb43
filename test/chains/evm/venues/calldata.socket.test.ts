import { Interface } from "ethers/abi";
import { getAddress } from "ethers/address";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSlippage, revertReason } from "../../../../lib/chains/evm/calls/revert-reason.ts";
import type { EvmConfiguration } from "../../../../lib/chains/evm/rules/configuration.ts";
import {
  type EvmCall,
  type EvmRoute,
  isSameCall,
  needsRefund,
  type SwapCall,
} from "../../../../lib/chains/evm/rules/intent.ts";
import { type CallTransaction, decodeCall, encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import { routesOf } from "../../../../lib/chains/evm/venues/configured-routes.ts";
import { RpcRefusal } from "../../../../lib/chains/hosts/host-fault.ts";
import { defaultChains } from "../../../../lib/infra/default-chains.ts";

const chain = defaultChains.bsc;
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const [pancake = "", uniswap = "", v3 = "", pancakeV3 = ""] = chain.venues.map(({ router }) => router);

const onlyOn = (name: "base" | "avax", venue: string) =>
  defaultChains[name].venues.filter((row) => row.venue.startsWith(venue));
const [slipstream = "", caps = "", newest = ""] = onlyOn("base", "slipstream").map(({ router }) => router);
const [lfj = ""] = onlyOn("avax", "lfj").map(({ router }) => router);

const usdt = "0x55d398326f99059fF775485246999027B3197955";

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString("hex")}`))
  .filter((text) => ![chain.wrapped.token, usdt].includes(text));
const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });
const amount = uint256.filter((units) => units > 0n);

/** One route of each shape, named by its pools from the coin to the token. */
const shapes = {
  v2: { venue: "pancakeswap-v2", feeBps: 25, router: pancake },
  v3: { venue: "uniswap-v3", feeBps: 30, router: v3 },
  "v2, v2": {
    venue: "pancakeswap-v2",
    feeBps: 25,
    router: pancake,
    bridge: { venue: "pancakeswap-v2", feeBps: 25, token: usdt },
  },
  "v3, v3": {
    venue: "pancakeswap-v3",
    feeBps: 25,
    router: pancakeV3,
    bridge: { venue: "pancakeswap-v3", feeBps: 1, token: usdt },
  },
  "v3, v2": {
    venue: "uniswap-v2",
    feeBps: 30,
    router: v3,
    bridge: { venue: "uniswap-v3", feeBps: 30, token: usdt },
  },
  slipstream: { venue: "slipstream", feeBps: 30, spacing: 200, router: slipstream },
  "slipstream, slipstream": {
    venue: "slipstream",
    feeBps: 30,
    spacing: 200,
    router: slipstream,
    bridge: { venue: "slipstream", feeBps: 5, spacing: 100, token: usdt },
  },
  "slipstream-caps": { venue: "slipstream-caps", feeBps: 30, spacing: 200, router: caps },
  "slipstream-v3, slipstream-v3": {
    venue: "slipstream-v3",
    feeBps: 5,
    spacing: 10,
    router: newest,
    bridge: { venue: "slipstream-v3", feeBps: 1, spacing: 1, token: usdt },
  },
  bins: { venue: "lfj-v2.1", feeBps: 20, spacing: 20, router: lfj },
  "bins, bins": {
    venue: "lfj-v2.2",
    feeBps: 25,
    spacing: 25,
    router: lfj,
    bridge: { venue: "lfj-v2.1", feeBps: 20, spacing: 20, token: usdt },
  },
} as const satisfies Record<string, EvmRoute>;

/** Configuration of a chain with all exchanges. */
const configured: EvmConfiguration = {
  ...chain,
  venues: [...chain.venues, ...onlyOn("base", "slipstream"), ...onlyOn("avax", "lfj")],
  quoteTokens: [
    {
      token: usdt,
      isStable: true,
      bridges: Object.values(shapes).flatMap((each) => ("bridge" in each ? [each.bridge] : [])),
    },
  ],
};

const swapOn = (route: fc.Arbitrary<EvmRoute>): fc.Arbitrary<SwapCall> =>
  fc
    .record({
      side: fc.constantFrom("buy" as const, "sell" as const),
      route,
      token: address,
      recipient: address,
      amountIn: amount,
      minAmountOut: uint256,
      deadline: fc.nat(),
    })
    .map(({ route, ...call }) => ({
      purpose: "swap",
      ...route,
      ...call,
      value: call.side === "buy" ? call.amountIn : 0n,
      hasRefund: needsRefund(call.side, route),
    }));

const swap = swapOn(fc.constantFrom(...routesOf(configured, wallet)));

const approve: fc.Arbitrary<EvmCall> = fc.record({
  purpose: fc.constant("approve" as const),
  token: address,
  router: fc.constantFrom(pancake, v3),
  amount: uint256,
});

const call = fc.oneof(swap, approve, fc.constant<EvmCall>({ purpose: "clear" }));

const buyOnV3: SwapCall = {
  purpose: "swap",
  venue: "uniswap-v3",
  feeBps: 30,
  router: v3,
  side: "buy",
  token: "0x55d398326f99059fF775485246999027B3197955",
  recipient: wallet,
  value: 5n,
  amountIn: 5n,
  minAmountOut: 4n,
  deadline: 1000,
  hasRefund: true,
};

describe("decodeCall", () => {
  it("decodes what encodeCall has encoded", () => {
    fc.assert(
      fc.property(call, (each) => {
        expect(decodeCall(configured, encodeCall(configured, each, wallet), wallet)).toEqual(each);
      }),
    );
  });

  it("rejects calldata with an added, removed or changed byte", () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(swap, change, (each, [place, difference]) => {
        const encoded = encodeCall(configured, each, wallet);
        const bytes = Buffer.from(encoded.data.slice(2), "hex");
        const index = place % bytes.length;
        bytes[index] = (bytes[index] as number) ^ difference;
        const read = (data: string) => decodeCall(configured, { ...encoded, data }, wallet);
        expect(read(`0x${bytes.toString("hex")}`)).not.toEqual(each);
        expect(read(`${encoded.data}00`)).toBeUndefined();
        expect(read(encoded.data.slice(0, -2))).toBeUndefined();
      }),
    );
  });

  it.each(Object.entries(shapes))("rejects every change of one bit in a swap by %s", (_, route) => {
    const [sample] = fc
      .sample(swapOn(fc.constant(route)), { numRuns: 2, seed: 7 })
      .toSorted((a) => (a.side === "buy" ? -1 : 1));
    const each = sample as SwapCall;
    const encoded = encodeCall(configured, each, wallet);
    const means = (changed: CallTransaction) => {
      const call = decodeCall(configured, changed, wallet);
      return call !== undefined && isSameCall(call, each);
    };
    expect(means(encoded)).toBe(true);
    const bytes = Buffer.from(encoded.data.slice(2), "hex");
    const kept: number[] = [];
    // Changes one bit in about every fourth byte, or every bit with FULL=1.
    const step = process.env.FULL ? 1 : 31;
    const stepOfWords = process.env.FULL ? 1n : 7n;
    for (let bit = 0; bit < bytes.length * 8; bit += step) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      if (means({ ...encoded, data: `0x${changed.toString("hex")}` })) kept.push(bit);
    }
    for (let bit = 0n; bit < 256n; bit += stepOfWords)
      if (means({ ...encoded, value: encoded.value ^ (1n << bit) })) kept.push(Number(bit));
    for (let bit = 0n; bit < 160n; bit += stepOfWords) {
      const to = (BigInt(encoded.to) ^ (1n << bit)).toString(16).padStart(40, "0");
      if (means({ ...encoded, to: getAddress(`0x${to}`) })) kept.push(Number(bit));
    }
    expect(kept).toEqual([]);
  });

  const v2: SwapCall = { ...buyOnV3, venue: "uniswap-v2", router: uniswap, hasRefund: false };
  it.each<[string, EvmCall, Partial<CallTransaction>]>([
    ["a clearing transaction to another address", { purpose: "clear" }, { to: uniswap }],
    ["a clearing transaction with coin", { purpose: "clear" }, { value: 1n }],
    ["a swap by an unknown router", v2, { to: wallet }],
    ["a swap by a router of the other kind", v2, { to: v3 }],
    ["nothing but a selector", v2, { data: "0xb6f9de95" }],
  ])("rejects %s when decoding", (_, each, changes) => {
    const encoded = encodeCall(configured, each, wallet);
    expect(decodeCall(configured, { ...encoded, ...changes }, wallet)).toBeUndefined();
  });

  it("returns the coin that is sent with a call, so that the signer can compare it", () => {
    const sale: SwapCall = { ...buyOnV3, side: "sell", value: 0n, hasRefund: false };
    for (const each of [buyOnV3, sale]) {
      const encoded = encodeCall(configured, each, wallet);
      expect(decodeCall(configured, { ...encoded, value: 6n }, wallet)).toEqual({ ...each, value: 6n });
    }
  });

  it("rejects an approval for an unknown spender", () => {
    const data = new Interface(["function approve(address, uint256)"]).encodeFunctionData("approve", [
      wallet,
      1n,
    ]);
    expect(decodeCall(configured, { to: buyOnV3.token, value: 0n, data }, wallet)).toBeUndefined();
  });
});

describe("encodeCall", () => {
  it("refunds the coin that a v3 pool does not use", () => {
    const refund = new Interface(["function refundETH()"]).encodeFunctionData("refundETH");
    const [withRefund, without] = [true, false].map((hasRefund) =>
      encodeCall(configured, { ...buyOnV3, hasRefund }, wallet),
    );
    expect(withRefund?.data).toContain(refund.slice(2));
    expect(without?.data).not.toContain(refund.slice(2));
    expect(withRefund?.to).toBe(v3);
  });

  const unwrapping = Object.entries(shapes).filter(([, { router }]) =>
    [v3, pancakeV3, slipstream, caps, newest].includes(router),
  );
  it.each(unwrapping)("unwraps at least the minimum of a sale by %s", (_, route) => {
    const terms = {
      side: "sell",
      value: 0n,
      hasRefund: false,
      token: wallet,
      minAmountOut: 12_345n,
    } as const;
    const { data } = encodeCall(configured, { ...buyOnV3, ...terms, ...route }, wallet);
    const abi = new Interface(["function unwrapWETH9(uint256, address)"]);
    expect(data).toContain(abi.encodeFunctionData("unwrapWETH9", [12_345n, wallet]).slice(2));
  });

  it("sends each venue's swaps to its own router", () => {
    const route = { venue: "pancakeswap-v2", feeBps: 25, router: pancake } as const;
    const v2: SwapCall = { ...buyOnV3, ...route, hasRefund: false };
    expect(encodeCall(configured, v2, wallet).to).toBe(pancake);
    expect(() => encodeCall(defaultChains.avax, v2, wallet)).toThrow("no route by pancakeswap-v2");
  });

  it.each<[string, EvmCall]>([
    ["a pool whose fee is not configured", { ...buyOnV3, feeBps: 2 }],
    ["a router that is not the venue's", { ...buyOnV3, router: uniswap }],
    [
      "a bridge that is not configured",
      { ...buyOnV3, token: wallet, bridge: { ...shapes["v3, v2"].bridge, feeBps: 5 } },
    ],
    [
      "a bridge over another token",
      { ...buyOnV3, token: wallet, bridge: { ...shapes["v3, v2"].bridge, token: v3 } },
    ],
    [
      "a bridge of another spacing",
      {
        ...buyOnV3,
        token: wallet,
        ...shapes["bins, bins"],
        bridge: { ...shapes["bins, bins"].bridge, spacing: 25 },
      },
    ],
    ["a pool without its spacing", { ...buyOnV3, venue: "slipstream", router: slipstream }],
    ["a pool by the router of another set of contracts", { ...buyOnV3, ...shapes.slipstream, router: caps }],
    [
      "a bridge of another set of contracts",
      { ...buyOnV3, ...shapes["slipstream, slipstream"], venue: "slipstream-v3", token: wallet },
    ],
    ["a bridge to the token itself", { ...buyOnV3, bridge: shapes["v3, v2"].bridge }],
    ["a bridge on v2 to a pool on v3", { ...buyOnV3, token: wallet, bridge: shapes["v2, v2"].bridge }],
    ["an approval of a stranger", { purpose: "approve", token: buyOnV3.token, router: wallet, amount: 1n }],
  ])("refuses to encode %s", (_, each) => {
    expect(() => encodeCall(configured, each, wallet)).toThrow("The chain has no");
  });
});

describe("isSlippage", () => {
  const data = (reason: string) =>
    new Interface(["function Error(string)"]).encodeFunctionData("Error", [reason]);

  it.each([
    "UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT",
    "PancakeRouter: INSUFFICIENT_OUTPUT_AMOUNT",
    "Too little received",
    "Insufficient WETH9",
    "IW",
  ])("recognises %s, both in revert data and in a host's message", (reason) => {
    const refusal = { code: 3, message: `execution reverted: ${reason}` };
    expect(isSlippage(data(reason))).toBe(true);
    expect(isSlippage(new RpcRefusal("eth_call", { ...refusal, message: "", data: data(reason) }))).toBe(
      true,
    );
    expect(isSlippage(new RpcRefusal("eth_call", refusal))).toBe(true);
  });

  it("recognises the error of LFJ's router, which has no text", () => {
    const error = new Interface(["error LBRouter__InsufficientAmountOut(uint256, uint256)"]);
    const reverted = error.encodeErrorResult("LBRouter__InsufficientAmountOut", [2n, 1n]);
    expect(isSlippage(reverted)).toBe(true);
    const refusal = { code: 3, message: "execution reverted", data: reverted };
    expect(isSlippage(new RpcRefusal("eth_call", refusal))).toBe(true);
  });

  it("ignores failures for other reasons", () => {
    expect(isSlippage(undefined)).toBe(false);
    expect(isSlippage("0x")).toBe(false);
    expect(isSlippage(data("TransferHelper: TRANSFER_FROM_FAILED"))).toBe(false);
    expect(isSlippage(`${data("Too little received").slice(0, -66)}ff`)).toBe(false);
    const busy = { code: -32005, message: "Too little received credits" };
    expect(isSlippage(new RpcRefusal("eth_call", busy))).toBe(false);
  });

  it("reads reasons only from Solidity's own errors", () => {
    expect(revertReason(data("TRAP"))).toBe("TRAP");
    expect(revertReason("0x4e487b71")).toBeUndefined();
  });
});
