import { describe, expect, it } from "vitest";
import { multicallABI } from "../../../../lib/chains/evm/calls/contract-abi.ts";
import { balanceOf, decimalsOf, textOf } from "../../../../lib/chains/evm/calls/contract-questions.ts";
import { multicall } from "../../../../lib/chains/evm/calls/multicall.ts";
import { blockCall } from "../../../../lib/chains/evm/calls/rpc-call.ts";
import { strangeBalancesCall } from "../../../../lib/chains/evm/calls/token-balances.ts";
import { askTogether } from "../../../../lib/chains/hosts/ask-together.ts";
import { RpcRefusal } from "../../../../lib/chains/hosts/host-fault.ts";
import type { RpcCall } from "../../../../lib/chains/hosts/rpc-call.ts";

const token = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const word = (value: number) => value.toString(16).padStart(64, "0");
const asked = [decimalsOf(token), balanceOf(token, wallet), textOf("symbol", token)] as const;

const answers = (...results: [success: boolean, data: string][]) =>
  multicallABI.encodeFunctionResult("aggregate3", [results]);

const refused = (message: string) => new RpcRefusal("eth_call", { code: -32000, message });

const gasOf = ({ params: [request] }: RpcCall<unknown>) => BigInt((request as { gas: string }).gas);

describe("multicall", () => {
  it("returns answers in order, and undefined for a contract that failed or gave a malformed answer", () => {
    const { read } = multicall(asked, 57);
    const symbol = `0x${word(32)}${word(4)}${Buffer.from("MOON").toString("hex").padEnd(64, "0")}`;
    expect(read(answers([true, `0x${word(18)}`], [true, `0x${word(7)}`], [true, symbol]))).toEqual([
      18n,
      7n,
      "MOON",
    ]);
    const invalid = `0x${word(32)}${word(4)}${"ff".repeat(4).padEnd(64, "0")}`;
    for (const data of ["0x", `0x${"00".repeat(31)}`, invalid, `0x${word(32)}${word(2 ** 40)}`])
      expect(read(answers([false, `0x${word(18)}`], [true, "0x"], [true, data]))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
  });

  it("rejects answers that are incomplete or come from an address that has no multicall contract", () => {
    const { read } = multicall(asked, 57);
    expect(() => read(answers([true, "0x"]))).toThrow();
    expect(() => read("0x")).toThrow();
  });

  it("treats a failure of the whole call as no answers if the contracts are not trusted", () => {
    const { recover, params } = multicall(asked, 57, 1_000_000n);
    expect(params).toEqual([expect.objectContaining({ gas: "0xf4240" }), "0x39"]);
    expect(recover?.(refused("out of gas"))).toEqual([undefined, undefined, undefined]);
    expect(() => recover?.(refused("busy"))).toThrow("code -32000");
    expect(multicall(asked, 57).recover).toBeUndefined();
  });
});

describe("textOf", () => {
  it("reads text from old tokens, which return it as 32 bytes", () => {
    const bytes = Buffer.from("MKR").toString("hex").padEnd(64, "0");
    expect(textOf("symbol", token).read(`0x${bytes}`)).toBe("MKR");
    expect(() => textOf("symbol", token).read(`0x${"41".repeat(32)}`)).toThrow();
    expect(() => textOf("symbol", token).read(`0x${"00".repeat(1000)}`)).toThrow("too long");
  });
});

describe("strangeBalancesCall", () => {
  it("limits the gas that a token may use, for any number of wallets", () => {
    expect(gasOf(strangeBalancesCall(token, [wallet], 57))).toBe(2_100_000n);
    expect(gasOf(strangeBalancesCall(token, Array(1000).fill(wallet), 57))).toBe(16_777_216n);
  });
});

describe("askTogether", () => {
  it("sends calls in one request, and returns the values in the same order", async () => {
    const requests: string[][] = [];
    const ask = async (calls: readonly RpcCall<unknown>[]) => {
      requests.push(calls.map(({ method, params }) => `${method} ${params[0]}`));
      return calls.map((_, index) => index) as never;
    };
    const asked = { a: blockCall(1), b: [blockCall(2), { c: blockCall(3) }], d: [], e: blockCall(4) };
    const values: unknown = await askTogether(ask, asked);
    expect(values).toEqual({ a: 0, b: [1, { c: 2 }], d: [], e: 3 });
    expect(requests).toEqual([["1", "2", "3", "4"].map((number) => `eth_getBlockByNumber 0x${number}`)]);
  });
});
