import { Interface, type Result } from "ethers/abi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { multicallABI } from "../../../../lib/chains/evm/calls/contract-abi.ts";
import { feeMarketCalls, feeMarketOf, l1FeesCall } from "../../../../lib/chains/evm/calls/fee-market.ts";
import { chainIdentity } from "../../../../lib/chains/evm/calls/rpc-call.ts";
import { rpcHost } from "../../../../lib/chains/hosts/rpc-host.ts";
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
  ] as const)("reads at least five blocks, or ten seconds, of fees on %s", (chain, blocks) => {
    expect(feeMarketCalls(chain)[0].params[0]).toBe(`0x${blocks.toString(16)}`);
  });

  it("returns the next block's base fee, and the tips of blocks with transactions", async () => {
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
    const host = rpcHost({ url: server.url, identity: chainIdentity(1) });
    const market = { baseFee: 7n, tips: [[1n, 2n, 3n, 4n]], suggestedTip: 5n };
    expect(feeMarketOf(await host.request(feeMarketCalls("eth")))).toEqual(market);
    expect(feeMarketOf(await host.request(feeMarketCalls("bsc")))).toEqual({ ...market, gasPrice: 6n });
    expect(server.requests[0]?.[1]?.params).toEqual(["0x5", "latest", [25, 50, 75, 95]]);
  });
});

describe("l1FeesCall", () => {
  const oracle = new Interface([
    "function getL1Fee(bytes) view returns (uint256)",
    "function getOperatorFee(uint256) view returns (uint256)",
  ]);

  it("encodes transactions of any length in the form that the oracle's contract reads", () => {
    const unsigned = ["0x", "0x02", `0x${"ab".repeat(32)}`, `0x${"ab".repeat(333)}`];
    const transactions = unsigned.map((each) => ({ unsigned: each, gasLimit: 300_000n }));
    const [request, tag] = l1FeesCall(transactions, 57).params;
    const [calls] = multicallABI.decodeFunctionData("aggregate3", (request as { data: string }).data);
    expect(calls.map(({ target, callData }: Result) => [target, callData])).toEqual(
      unsigned
        .flatMap((each) => [
          oracle.encodeFunctionData("getL1Fee", [each]),
          oracle.encodeFunctionData("getOperatorFee", [300_000n]),
        ])
        .map((data) => ["0x420000000000000000000000000000000000000F", data]),
    );
    expect(tag).toBe("0x39");
  });

  const transaction = { unsigned: "0x02", gasLimit: 1n };
  const { read } = l1FeesCall([transaction, transaction], "latest");
  const answer = (...answers: [isKnown: boolean, word: string][]) =>
    multicallABI.encodeFunctionResult("aggregate3", [answers]);
  const fee = (value: bigint) => oracle.encodeFunctionResult("getL1Fee", [value]);

  it("adds the operator fee, which older fee oracles lack", () => {
    const ofData: [boolean, string] = [true, fee(255n)];
    expect(read(answer(ofData, [true, fee(3n)], ofData, [false, "0x"]))).toEqual([258n, 255n]);
  });

  it.each(["0x", `0x${"00".repeat(31)}`, `0x${"00".repeat(64)}`])("rejects %s as a fee", (result) => {
    const known: [boolean, string] = [true, fee(255n)];
    expect(() => read(answer(known, known, [true, result], known))).toThrow();
  });
});
