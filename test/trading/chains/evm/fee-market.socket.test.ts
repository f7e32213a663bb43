import { Interface } from "ethers/abi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feeMarketCalls, feeMarketOf, l1FeeCall } from "../../../../lib/trading/chains/evm/fee-market.ts";
import { rpcHost } from "../../../../lib/trading/chains/rpc-host.ts";
import { type RpcServer, startRpcServer } from "../../../support/json-rpc-server.ts";

let server: RpcServer;
beforeAll(async () => {
  server = await startRpcServer();
});
afterAll(() => server.stop());

describe("feeMarketOf", () => {
  it.each([
    ["with the next block", ["0x9", "0x8", "0x7"], 7n],
    ["of an old node of avax, without it", ["0x9", "0x8"], 8n],
  ])("reads a fee history %s", (_, baseFeePerGas, baseFee) => {
    const [{ read }] = feeMarketCalls("avax");
    const tips = ["0x1", "0x2", "0x3", "0x4"];
    expect(read({ baseFeePerGas, gasUsedRatio: [0, 0.5], reward: [tips, tips] })).toMatchObject({ baseFee });
    const tooFew = { baseFeePerGas: ["0x9"], gasUsedRatio: [0, 0.5], reward: [tips, tips] };
    expect(() => read(tooFew)).toThrow();
  });

  it.each([
    ["eth", 5],
    ["base", 50],
  ] as const)("asks for ten seconds of %s, and at least five blocks", (chain, blocks) => {
    expect(feeMarketCalls(chain)[0].params[0]).toBe(`0x${blocks.toString(16)}`);
  });

  it("returns the next block's base fee, and the tips of blocks that had transactions", async () => {
    Object.assign(server.answers, {
      eth_feeHistory: {
        oldestBlock: "0x1",
        baseFeePerGas: ["0x9", "0x8", "0x7"],
        gasUsedRatio: [0, 0.01],
        reward: [
          ["0x0", "0x0", "0x0", "0x0"],
          ["0x1", "0x2", "0x3", "0x4"],
        ],
      },
      eth_maxPriorityFeePerGas: "0x5",
      eth_gasPrice: "0x6",
    });
    const host = rpcHost({ url: server.url, chainId: 1 });
    expect(feeMarketOf(await host.request(feeMarketCalls("eth")))).toEqual({
      baseFee: 7n,
      tips: [[1n, 2n, 3n, 4n]],
      suggestedTip: 5n,
      gasPrice: 6n,
    });
    expect(server.requests[0]?.[1]?.params).toEqual(["0x5", "latest", [25, 50, 75, 95]]);
  });
});

describe("l1FeeCall", () => {
  const oracle = new Interface(["function getL1Fee(bytes) view returns (uint256)"]);

  it.each(["0x", "0x02", `0x${"ab".repeat(32)}`, `0x${"ab".repeat(333)}`])(
    "encodes %s as the oracle's contract reads it",
    (unsigned) => {
      const { params } = l1FeeCall(unsigned, 57);
      const data = oracle.encodeFunctionData("getL1Fee", [unsigned]);
      expect(params).toEqual([{ to: "0x420000000000000000000000000000000000000F", data }, "0x39"]);
    },
  );

  it("reads one word, and nothing else", () => {
    const { read } = l1FeeCall("0x02", "latest");
    expect(read(oracle.encodeFunctionResult("getL1Fee", [255n]))).toBe(255n);
    for (const result of ["0x", `0x${"00".repeat(31)}`, `0x${"00".repeat(64)}`])
      expect(() => read(result)).toThrow();
  });
});
