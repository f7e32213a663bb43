import { Interface } from "ethers/abi";
import { getAddress } from "ethers/address";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultChains } from "../../../../lib/infra/default-chains.ts";
import { type CallTransaction, decodeCall, encodeCall } from "../../../../lib/trading/chains/evm/calldata.ts";
import { isSlippage, revertReason } from "../../../../lib/trading/chains/evm/revert-reason.ts";
import { RpcRefusal } from "../../../../lib/trading/chains/host-fault.ts";
import type { Call, SwapCall } from "../../../../lib/trading/core/intent.ts";

const chain = defaultChains.bsc;
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const [pancake = "", uniswap = "", v3 = ""] = chain.venues.map(({ router }) => router);

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString("hex")}`))
  .filter((text) => text !== chain.wrapped.token);
const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });
const amount = uint256.filter((units) => units > 0n);

const swap: fc.Arbitrary<Call> = fc
  .record({
    side: fc.constantFrom("buy" as const, "sell" as const),
    route: fc.constantFrom(
      { venue: "pancakeswap-v2", feeBps: 25, router: pancake } as const,
      { venue: "uniswap-v2", feeBps: 30, router: uniswap } as const,
      ...([1, 5, 30, 100] as const).map((feeBps) => ({ venue: "uniswap-v3", feeBps, router: v3 }) as const),
    ),
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
    hasRefund: call.side === "buy" && route.venue === "uniswap-v3",
  }));

const approve: fc.Arbitrary<Call> = fc.record({
  purpose: fc.constant("approve" as const),
  token: address,
  router: fc.constantFrom(pancake, v3),
  amount: uint256,
});

const call = fc.oneof(swap, approve, fc.constant<Call>({ purpose: "clear" }));

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
  it("is the inverse of encodeCall", () => {
    fc.assert(
      fc.property(call, (each) => {
        expect(decodeCall(chain, encodeCall(chain, each, wallet), wallet)).toEqual(each);
      }),
    );
  });

  it("rejects calldata with a byte added, removed or changed", () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(swap, change, (each, [place, difference]) => {
        const encoded = encodeCall(chain, each, wallet);
        const bytes = Buffer.from(encoded.data.slice(2), "hex");
        const index = place % bytes.length;
        bytes[index] = (bytes[index] as number) ^ difference;
        const read = (data: string) => decodeCall(chain, { ...encoded, data }, wallet);
        expect(read(`0x${bytes.toString("hex")}`)).not.toEqual(each);
        expect(read(`${encoded.data}00`)).toBeUndefined();
        expect(read(encoded.data.slice(0, -2))).toBeUndefined();
      }),
    );
  });

  const v2: SwapCall = { ...buyOnV3, venue: "uniswap-v2", router: uniswap, hasRefund: false };
  it.each<[string, Call, Partial<CallTransaction>]>([
    ["a clearing transaction to another address", { purpose: "clear" }, { to: uniswap }],
    ["a clearing transaction with coin", { purpose: "clear" }, { value: 1n }],
    ["a swap by an unknown router", v2, { to: wallet }],
    ["a swap by a router of the other kind", v2, { to: v3 }],
    ["nothing but a selector", v2, { data: "0xb6f9de95" }],
  ])("rejects %s", (_, each, changes) => {
    const encoded = encodeCall(chain, each, wallet);
    expect(decodeCall(chain, { ...encoded, ...changes }, wallet)).toBeUndefined();
  });

  it("returns the coin that is sent along, for the signer to compare", () => {
    const sale: SwapCall = { ...buyOnV3, side: "sell", value: 0n, hasRefund: false };
    for (const each of [buyOnV3, sale]) {
      const encoded = encodeCall(chain, each, wallet);
      expect(decodeCall(chain, { ...encoded, value: 6n }, wallet)).toEqual({ ...each, value: 6n });
    }
  });

  it("rejects an approval for an unknown spender", () => {
    const data = new Interface(["function approve(address, uint256)"]).encodeFunctionData("approve", [
      wallet,
      1n,
    ]);
    expect(decodeCall(chain, { to: buyOnV3.token, value: 0n, data }, wallet)).toBeUndefined();
  });
});

describe("encodeCall", () => {
  it("takes back the coin that a v3 pool does not use", () => {
    const refund = new Interface(["function refundETH()"]).encodeFunctionData("refundETH");
    const [withRefund, without] = [true, false].map((hasRefund) =>
      encodeCall(chain, { ...buyOnV3, hasRefund }, wallet),
    );
    expect(withRefund?.data).toContain(refund.slice(2));
    expect(without?.data).not.toContain(refund.slice(2));
    expect(withRefund?.to).toBe(v3);
  });

  it("sends each venue's swaps to its own router", () => {
    const route = { venue: "pancakeswap-v2", feeBps: 25, router: pancake } as const;
    const v2: SwapCall = { ...buyOnV3, ...route, hasRefund: false };
    expect(encodeCall(chain, v2, wallet).to).toBe(pancake);
    expect(() => encodeCall(defaultChains.avax, v2, wallet)).toThrow("no route by pancakeswap-v2");
  });

  it.each<[string, Call]>([
    ["a pool whose fee is not configured", { ...buyOnV3, feeBps: 2 }],
    ["a router that is not the venue's", { ...buyOnV3, router: uniswap }],
    ["an approval of a stranger", { purpose: "approve", token: buyOnV3.token, router: wallet, amount: 1n }],
  ])("rejects %s", (_, each) => {
    expect(() => encodeCall(chain, each, wallet)).toThrow("The chain has no");
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
  ])("recognises %s, as data and in words", (reason) => {
    const refusal = { code: 3, message: `execution reverted: ${reason}` };
    expect(isSlippage(data(reason))).toBe(true);
    expect(isSlippage(new RpcRefusal("eth_call", { ...refusal, message: "", data: data(reason) }))).toBe(
      true,
    );
    expect(isSlippage(new RpcRefusal("eth_call", refusal))).toBe(true);
  });

  it("ignores other failures", () => {
    expect(isSlippage(undefined)).toBe(false);
    expect(isSlippage("0x")).toBe(false);
    expect(isSlippage(data("TransferHelper: TRANSFER_FROM_FAILED"))).toBe(false);
    expect(isSlippage(`${data("Too little received").slice(0, -66)}ff`)).toBe(false);
    const busy = { code: -32005, message: "Too little received credits" };
    expect(isSlippage(new RpcRefusal("eth_call", busy))).toBe(false);
  });

  it("reads only the reasons of Solidity's errors", () => {
    expect(revertReason(data("TRAP"))).toBe("TRAP");
    expect(revertReason("0x4e487b71")).toBeUndefined();
  });
});
