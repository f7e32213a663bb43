import { localContracts } from "trading-terminal-devnet/evm/deployment";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  chainIdentity,
  type MinedTransaction,
  receiptCall,
} from "../../../../lib/chains/evm/calls/rpc-call.ts";
import { readReceipts } from "../../../../lib/chains/evm/looks/read-receipts.ts";
import { type EvmCall, swapBy } from "../../../../lib/chains/evm/rules/intent.ts";
import { encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import { askInParts } from "../../../../lib/chains/hosts/ask-in-parts.ts";
import { type RpcHost, rpcHost } from "../../../../lib/chains/hosts/rpc-host.ts";
import { RpcFailure, type RpcServer, startRpcServer } from "../../../support/json-rpc-server.ts";
import { intent, localV2 } from "../../../support/trading.ts";

const hash = `0x${"1".repeat(64)}`;
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const token = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

let server: RpcServer;
let host: RpcHost;
beforeAll(async () => {
  server = await startRpcServer();
  // Allows more time, because a busy machine takes long to handle an answer of several megabytes.
  host = rpcHost({ url: server.url, identity: chainIdentity(1), timeoutMs: 30_000 });
});
afterAll(() => server.stop());

/** Makes a receipt with this many bytes of data in its logs. */
const receiptOf = (bytes: number) => ({
  status: "0x1",
  blockNumber: "0x1",
  blockHash: hash,
  gasUsed: "0x1",
  effectiveGasPrice: "0x1",
  logs: [{ address: token, topics: [], data: `0x${"00".repeat(bytes)}` }],
});

const askForReceipts = (count: number) =>
  askInParts(
    (calls) => host.request(calls),
    Array.from({ length: count }, () => hash),
    receiptCall,
  );

describe("askInParts", () => {
  it("splits a request for receipts whose answer is too large", async () => {
    server.answers.eth_getTransactionReceipt = receiptOf(155_000);
    expect(await askForReceipts(20)).toHaveLength(20);
  });

  it("accepts a single receipt above the usual size limit of answers", async () => {
    server.answers.eth_getTransactionReceipt = receiptOf(1_500_000);
    expect(await askForReceipts(2)).toHaveLength(2);
    server.answers.eth_getTransactionReceipt = receiptOf(3_000_000);
    await expect(askForReceipts(1)).rejects.toMatchObject({ code: "TOO_LARGE" });
  });
});

describe("receiptCall", () => {
  const { read } = receiptCall(hash, true);
  const costs = { ...receiptOf(0), gasUsed: "0x5208", l1Fee: "0x7" };

  it("adds Base's operator fee, charged per gas and per transaction, to the data fee", () => {
    const operator = { operatorFeeScalar: "0x2", operatorFeeConstant: "0x5" };
    expect(read({ ...costs, ...operator })).toMatchObject({ l1Fee: 7n + 21_000n * 2n * 100n + 5n });
    expect(read({ ...costs, operatorFeeScalar: null })).toMatchObject({ l1Fee: 7n });
  });
});

describe("readReceipts", () => {
  const block = { number: 5, hash, time: 5 };
  const mined: MinedTransaction = {
    isOk: false,
    blockNumber: 5,
    blockHash: hash,
    gasUsed: 21_000n,
    gasPrice: 1n,
    l1Fee: 0n,
    logs: [],
  };
  const failed = {
    hash,
    mined,
    block,
    transaction: { from: wallet, to: wallet, value: 0n, data: "0x", gas: 21_000n },
  };
  const read = () =>
    readReceipts((calls) => host.request(calls), { ...localContracts("eth"), hosts: [] }, wallet, [failed]);
  const unexplained = { status: "failed", isSlippage: false };

  it("returns a failed transaction whose token reverts with 500 kB of data", async () => {
    server.answers.eth_call = new RpcFailure(3, "execution reverted", `0x${"00".repeat(545_000)}`);
    expect((await read())?.get(hash)).toMatchObject(unexplained);
  });

  it("returns a failed transaction even if the host cannot explain the failure", async () => {
    server.answers.eth_call = "nonsense";
    expect((await read())?.get(hash)).toMatchObject(unexplained);
  });

  it("reads a swap from the signed call if its venue is no longer configured", async () => {
    const configuration = { ...localContracts("eth"), hosts: [] };
    const [first, ...venues] = configuration.venues;
    if (first === undefined) throw new Error("The call has no venue");
    const swap = swapBy(intent({ wallet, token }), localV2, 5n);
    const { wrapped } = configuration;
    const deposit = {
      address: wrapped.token,
      topics: [
        "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
        `0x${first.router.slice(2).toLowerCase().padStart(64, "0")}`,
      ],
      data: `0x${"5".padStart(64, "0")}`,
    };
    const found = {
      hash,
      block,
      mined: { ...mined, isOk: true, logs: [deposit] },
      transaction: { from: wallet, ...encodeCall(configuration, swap, wallet), gas: 21_000n },
    };
    const readBy = (calls: ReadonlyMap<string, EvmCall>) =>
      readReceipts((all) => host.request(all), { ...configuration, venues }, wallet, [found], { calls });
    expect((await readBy(new Map([[hash, swap]])))?.get(hash)).toMatchObject({ status: "ok", spent: 5n });
    expect(await readBy(new Map())).toBeUndefined();
  });
});
