import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chainClient } from "../../../lib/chains/chain-client.ts";
import { ChainUnavailable } from "../../../lib/chains/host-fault.ts";
import { blockCall, coinsCall, nonceCall } from "../../../lib/chains/rpc-call.ts";
import { rpcHost } from "../../../lib/chains/rpc-host.ts";
import { type SecondHost, startSecondHost } from "../../../lib/dev/chains/second-host.ts";
import { approval } from "../../../lib/dev/chains/uniswap.ts";
import { alice, startTestChain, type TestChain } from "../../support/local-chain.ts";

const stranger = "0x00000000000000000000000000000000000000aa";

describe("the second host of a local chain", () => {
  let chain: TestChain;
  let host: SecondHost;
  let unknown: number;

  beforeAll(async () => {
    chain = await startTestChain();
    host = await startSecondHost({
      chainUrl: chain.url,
      canBeSet: true,
      onUnknownTransaction: () => {
        unknown++;
      },
    });
  });
  beforeEach(() => {
    unknown = 0;
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

  const pay = () => chain.transact({ from: alice.address, to: stranger, value: 1n });

  const client = () =>
    chainClient({ chain: "eth", hosts: [chain.url, host.url], timeoutMs: 500, agreeMs: 500 });

  it("says what the chain says, one thing or many", async () => {
    await pay();
    const calls = [blockCall("latest"), coinsCall(stranger, "latest"), nonceCall(alice.address, "pending")];
    const direct = await rpcHost({ url: chain.url, chainID: 1 }).request(calls);
    expect(await rpcHost({ url: host.url, chainID: 1 }).request(calls)).toEqual(direct);
    expect(await ask("eth_chainId")).toEqual({ jsonrpc: "2.0", id: 7, result: "0x1" });
    for (const method of ["eth_nothing", "anvil_nodeInfo", "evm_mine"])
      expect(await ask(method), method).toMatchObject({ id: 7, error: { code: -32601 } });
  });

  it("takes JSON only, which pages of other sites cannot send", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
    for (const url of [chain.url, host.url]) {
      const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "text/plain" }, body });
      expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
      const headers = { Origin: "https://a.example", "Access-Control-Request-Method": "POST" };
      const preflight = await fetch(url, { method: "OPTIONS", headers });
      expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it.each([
    ["empty", "EMPTY"],
    ["garbage", "NOT_JSON"],
    ["html", "NOT_JSON"],
    ["huge", "TOO_LARGE"],
    ["stalled", "TIMEOUT"],
    ["unavailable", "BAD_STATUS"],
    ["otherChain", "WRONG_CHAIN"],
  ] as const)("fails with the fault %s, so that the client says %s", async (fault, reason) => {
    host.faults = { [fault]: 1 };
    const asking = rpcHost({ url: host.url, chainID: 1, timeoutMs: fault === "stalled" ? 200 : 10_000 });
    await expect(asking.request([blockCall("latest")])).rejects.toMatchObject({ reason });
  });

  it("meets a fault in the share of requests that is set, and in no other", async () => {
    host.faults = { unavailable: 0.5 };
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(host.url, { method: "POST" })));
    const failed = answers.filter(({ status }) => status === 502).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  it("is set over HTTP", async () => {
    const set = (body: unknown, type = "application/json") =>
      fetch(`${host.url}/_local/faults`, {
        method: "PUT",
        headers: { "Content-Type": type },
        body: JSON.stringify(body),
      });
    const faults = { stalled: 0.1, blocksBehind: 3, results: { eth_gasPrice: "0x0" } };
    expect(await (await set(faults)).json()).toEqual(faults);
    expect(host.faults).toEqual(faults);
    expect(await (await fetch(`${host.url}/_local/faults`)).json()).toEqual(faults);
    for (const wrong of [{ stalled: 2 }, { blocksBehind: -1 }, { slow: 1 }, []])
      expect((await set(wrong)).status, JSON.stringify(wrong)).toBe(400);
    expect((await set({}, "text/plain")).status).toBe(415);
    expect(host.faults).toEqual(faults);
    await set({});
    expect(host.faults).toEqual({});
  });

  it("cannot be set unless the runner was started with --faults", async () => {
    const plain = await startSecondHost({ chainUrl: chain.url });
    const answer = await fetch(`${plain.url}/_local/faults`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: '{"stalled":1}',
    });
    expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
    expect(plain.faults).toEqual({});
    await plain.close();
  });

  it("lies about any method", async () => {
    await pay();
    host.faults = { results: { eth_getTransactionCount: "0x63", eth_getTransactionReceipt: null } };
    expect(await ask("eth_getTransactionCount", alice.address, "latest")).toMatchObject({ result: "0x63" });
    expect(await ask("eth_getTransactionReceipt", `0x${"0".repeat(64)}`)).toMatchObject({ result: null });
    const asked = client().agree(() => [nonceCall(alice.address, "latest")]);
    await expect(asked).rejects.toThrow(ChainUnavailable);
  });

  it("lies as a function of what it was asked", async () => {
    host.lie = ({ method, params }, reply) =>
      method === "eth_getBalance" && params[0] === stranger ? { result: "0x1" } : reply;
    expect(await ask("eth_getBalance", stranger, "latest")).toMatchObject({ result: "0x1" });
    expect(await ask("eth_getBalance", `${stranger.slice(0, -1)}b`, "latest")).toMatchObject({
      result: "0x0",
    });
  });

  it("reports questions about transactions that the chain does not have", async () => {
    const { transactionHash } = await pay();
    await ask("eth_getTransactionReceipt", transactionHash);
    expect(unknown).toBe(0);
    await ask("eth_getTransactionReceipt", `0x${"1".repeat(64)}`);
    await ask("eth_getTransactionByHash", `0x${"1".repeat(64)}`);
    expect(unknown).toBe(2);
  });

  it("is unavailable while anvil is", async () => {
    const other = await startSecondHost({ chainUrl: "http://127.0.0.1:1" });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(other.url, { method: "POST", headers, body: '{"method":"eth_chainId"}' });
    expect(answer.status).toBe(502);
    await other.close();
  });

  describe("that is two blocks behind", () => {
    beforeEach(() => {
      host.faults = { blocksBehind: 2 };
    });

    it("has what was there at its newest block, and nothing later", async () => {
      const first = await pay();
      await chain.mine(2);
      const second = await pay();
      const head = Number(first.blockNumber) + 1;
      const later = `0x${(head + 1).toString(16)}`;
      expect(await ask("eth_blockNumber")).toMatchObject({ result: `0x${head.toString(16)}` });
      for (const tag of ["latest", "pending", `0x${head.toString(16)}`]) {
        expect(await ask("eth_getBalance", stranger, tag)).toMatchObject({ result: "0x1" });
        expect(await ask("eth_getTransactionCount", alice.address, tag)).toMatchObject({ result: "0x1" });
      }
      expect(await ask("eth_getBalance", stranger, later)).toMatchObject({ error: { code: -32000 } });
      expect(await ask("eth_getBlockByNumber", later, false)).toMatchObject({ result: null });
      expect(await ask("eth_getTransactionReceipt", second.transactionHash)).toMatchObject({ result: null });
      const receipt = await ask("eth_getTransactionReceipt", first.transactionHash);
      expect(receipt).toMatchObject({ result: { blockNumber: first.blockNumber } });
      const hash = ((await chain.request("eth_getBlockByNumber", [later, false])) as { hash: string }).hash;
      expect(await ask("eth_getBlockByHash", hash, false)).toMatchObject({ result: null });
    });

    it("has tags and fees of its newest block", async () => {
      await chain.mine(6);
      const height = Number(await chain.request("eth_blockNumber"));
      const numberOf = async (tag: string) => {
        const { result } = await ask("eth_getBlockByNumber", tag, false);
        return Number((result as { number: string }).number);
      };
      expect(await numberOf("latest")).toBe(height - 2);
      expect(await numberOf("safe")).toBe(height - 3);
      expect(await numberOf("finalized")).toBe(height - 4);
      expect(await numberOf("earliest")).toBe(0);
      const { result } = await ask("eth_feeHistory", "0x1", "latest", []);
      expect(result).toMatchObject({ oldestBlock: `0x${(height - 2).toString(16)}` });
    });

    it("finds logs of its blocks only", async () => {
      await pay();
      await chain.deploy(approval(chain.contracts.wrapped.token, stranger));
      const height = Number(await chain.request("eth_blockNumber"));
      const all = (await chain.request("eth_getLogs", [
        { fromBlock: "0x0", toBlock: `0x${(height - 2).toString(16)}` },
      ])) as unknown[];
      expect(all.length).toBeGreaterThan(10);
      for (const toBlock of ["latest", `0x${height.toString(16)}`, undefined])
        expect(await ask("eth_getLogs", { fromBlock: "earliest", toBlock })).toMatchObject({ result: all });
    });

    it("agrees with the first on a chain where that is no lag", async () => {
      await chain.mine(3);
      const height = Number(await chain.request("eth_blockNumber"));
      const asked = () => client().agree((block) => [coinsCall(alice.address, block.number)]);
      await expect(asked()).rejects.toThrow(ChainUnavailable);
      host.faults = { blocksBehind: 1 };
      expect((await asked()).block.number).toBe(height - 1);
    });
  });
});
