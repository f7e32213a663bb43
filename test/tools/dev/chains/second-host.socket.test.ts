import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createHeads } from "../../../../lib/tools/dev/chains/heads.ts";
import {
  type HostFaults,
  type SecondHost,
  startSecondHost,
} from "../../../../lib/tools/dev/chains/second-host.ts";
import { blockCall } from "../../../../lib/trading/chains/evm/rpc-call.ts";
import { rpcHost } from "../../../../lib/trading/chains/rpc-host.ts";
import { alice, startTestChain, type TestChain } from "../../../support/local-chain.ts";

const stranger = "0x00000000000000000000000000000000000000aa";

describe("the second host of a local chain", () => {
  let chain: TestChain;
  let host: SecondHost;

  beforeAll(async () => {
    chain = await startTestChain();
    host = await startSecondHost({ chainUrl: chain.url, canBeSet: true });
  });
  beforeEach(() => {
    host.faults = {};
    host.lie = (_, reply) => reply;
  });
  afterEach(() => chain.restore());
  afterAll(async () => {
    await host.close();
    await chain.close();
  });

  async function ask(method: string, ...params: unknown[]) {
    const response = await fetch(host.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
    });
    return (await response.json()) as { id: number; result?: unknown; error?: { code: number } };
  }

  const set = (faults: HostFaults, url = host.url) => {
    const headers = { "Content-Type": "application/json" };
    return fetch(`${url}/_local/faults`, { method: "PUT", headers, body: JSON.stringify(faults) });
  };

  const pay = () => chain.transact({ from: alice.address, to: stranger, value: 1n });

  it.each([
    ["empty", "EMPTY"],
    ["garbage", "NOT_JSON"],
    ["html", "NOT_JSON"],
    ["huge", "TOO_LARGE"],
    ["stalled", "TIMEOUT"],
    ["unavailable", "BAD_STATUS"],
    ["otherChain", "WRONG_CHAIN"],
  ] as const)("fails with the fault %s, which the client takes for %s", async (fault, reason) => {
    await set({ [fault]: 1 });
    const asking = rpcHost({ url: host.url, chainId: 1, timeoutMs: fault === "stalled" ? 200 : 10_000 });
    await expect(asking.request([blockCall("latest")])).rejects.toMatchObject({ reason });
  });

  it("meets a fault in the share of requests that is set", async () => {
    await set({ unavailable: 0.5 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(host.url, { method: "POST" })));
    const failed = answers.filter(({ status }) => status === 502).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  it("cannot be set unless the runner was started with --faults", async () => {
    const plain = await startSecondHost({ chainUrl: chain.url });
    await set({ stalled: 1 }, plain.url);
    expect(plain.faults).toEqual({});
    await plain.close();
  });

  it("lies about any method", async () => {
    await set({ results: { eth_getTransactionCount: "0x63", eth_getTransactionReceipt: null } });
    const { transactionHash } = await pay();
    expect(await ask("eth_getTransactionCount", alice.address, "latest")).toMatchObject({ result: "0x63" });
    expect(await ask("eth_getTransactionReceipt", transactionHash)).toMatchObject({ result: null });
  });

  it("lies as a function of the question", async () => {
    host.lie = ({ params }, reply) => (params[0] === stranger ? { result: "0x1" } : reply);
    expect(await ask("eth_getBalance", stranger, "latest")).toMatchObject({ result: "0x1" });
    const other = `${stranger.slice(0, -1)}b`;
    expect(await ask("eth_getBalance", other, "latest")).toMatchObject({ result: "0x0" });
  });

  it("learns of blocks as late as its lag says", async () => {
    const heads = createHeads(() => nowMs);
    let nowMs = 0;
    const late = await startSecondHost({ chainUrl: chain.url, canBeSet: true, heads });
    onTestFinished(() => late.close());
    await set({ lagMs: 600 }, late.url);
    const asking = rpcHost({ url: late.url, chainId: 1 });
    const first = await asking.request([blockCall("latest")]);
    await chain.mine();
    nowMs = 200;
    expect(await asking.request([blockCall("latest")])).toEqual(first);
    nowMs = 799;
    expect(await asking.request([blockCall("latest")])).toEqual(first);
    nowMs = 800;
    expect(await asking.request([blockCall("latest")])).not.toEqual(first);
  });

  it("knows nothing after its newest block, if it is behind", async () => {
    await set({ blocksBehind: 2 });
    const first = await pay();
    await chain.mine(2);
    const second = await pay();
    const head = Number(first.blockNumber) + 1;
    const later = `0x${(head + 1).toString(16)}`;
    expect(await ask("eth_blockNumber")).toMatchObject({ result: `0x${head.toString(16)}` });
    const finalized = await ask("eth_getBlockByNumber", "finalized", false);
    expect(finalized).toMatchObject({ result: { number: `0x${(head - 2).toString(16)}` } });
    for (const tag of ["latest", "pending", `0x${head.toString(16)}`]) {
      expect(await ask("eth_getBalance", stranger, tag)).toMatchObject({ result: "0x1" });
      expect(await ask("eth_getTransactionCount", alice.address, tag)).toMatchObject({ result: "0x1" });
    }
    expect(await ask("eth_getBalance", stranger, later)).toMatchObject({ error: { code: -32000 } });
    expect(await ask("eth_getBlockByNumber", later, false)).toMatchObject({ result: null });
    expect(await ask("eth_getTransactionReceipt", second.transactionHash)).toMatchObject({ result: null });
    const receipt = await ask("eth_getTransactionReceipt", first.transactionHash);
    expect(receipt).toMatchObject({ result: { blockNumber: first.blockNumber } });
  });
});
