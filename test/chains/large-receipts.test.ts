import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askInParts } from "../../lib/chains/ask-in-parts.ts";
import { type MinedTransaction, receiptCall } from "../../lib/chains/rpc-call.ts";
import { type RpcHost, rpcHost } from "../../lib/chains/rpc-host.ts";
import { localContracts } from "../../lib/dev/chains/deployment.ts";
import { readReceipts } from "../../lib/trading/read-receipts.ts";
import { RpcFailure, type RpcServer, startRpcServer } from "../support/json-rpc-server.ts";

const hash = `0x${"1".repeat(64)}`;
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const token = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

let server: RpcServer;
let host: RpcHost;
beforeAll(async () => {
  server = await startRpcServer();
  host = rpcHost({ url: server.url, chainID: 1 });
});
afterAll(() => server.stop());

/** A receipt with so many bytes of data in its logs. */
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
  it("halves a request for receipts whose answer is too large", async () => {
    server.answers.eth_getTransactionReceipt = receiptOf(155_000);
    expect(await askForReceipts(20)).toHaveLength(20);
  });

  it("takes a single receipt that is larger than any other answer may be", async () => {
    server.answers.eth_getTransactionReceipt = receiptOf(1_500_000);
    expect(await askForReceipts(2)).toHaveLength(2);
    server.answers.eth_getTransactionReceipt = receiptOf(3_000_000);
    await expect(askForReceipts(1)).rejects.toMatchObject({ reason: "TOO_LARGE" });
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

  it("shows a failure whose token reverts with half a megabyte", async () => {
    server.answers.eth_call = new RpcFailure(3, "execution reverted", `0x${"00".repeat(545_000)}`);
    expect((await read())?.get(hash)).toMatchObject(unexplained);
  });

  it("shows a failure that the host makes no sense of", async () => {
    server.answers.eth_call = "nonsense";
    expect((await read())?.get(hash)).toMatchObject(unexplained);
  });
});
