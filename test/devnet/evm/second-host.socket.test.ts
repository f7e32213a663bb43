import { Transaction } from "ethers/transaction";
import { Wallet } from "ethers/wallet";
import { createHeads } from "trading-terminal-devnet/evm/heads";
import { type HostFaults, type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { blockCall, chainIdentity } from "../../../lib/chains/evm/calls/rpc-call.ts";
import { rpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { askOne, setFaults } from "../../support/local-hosts.ts";

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

  const post = (body: unknown) =>
    fetch(host.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  const ask = (method: string, ...params: unknown[]) => askOne(host.url, method, ...params);
  const set = (faults: HostFaults, url = host.url) => setFaults(url, faults);

  const pay = () => chain.transact({ from: alice.address, to: stranger, value: 1n });

  it.each([
    ["empty", "EMPTY"],
    ["garbage", "NOT_JSON"],
    ["html", "NOT_JSON"],
    ["huge", "TOO_LARGE"],
    ["stalled", "TIMEOUT"],
    ["unavailable", "BAD_STATUS"],
    ["otherChain", "WRONG_CHAIN"],
  ] as const)("simulates the fault %s, which the client reports as %s", async (fault, code) => {
    await set({ [fault]: 1 });
    const asking = rpcHost({
      url: host.url,
      identity: chainIdentity(1),
      timeoutMs: fault === "stalled" ? 200 : 10_000,
    });
    await expect(asking.request([blockCall("latest")])).rejects.toMatchObject({ code });
  });

  it("applies a fault to the configured fraction of requests", async () => {
    await set({ unavailable: 0.5 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(host.url, { method: "POST" })));
    const failed = answers.filter(({ status }) => status === 502).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  it("sets faults only if the runner was started with --faults", async () => {
    const plain = await startSecondHost({ chainUrl: chain.url });
    await set({ stalled: 1 }, plain.url);
    expect(plain.faults).toEqual({});
    await plain.close();
  });

  it("returns false results for any method", async () => {
    await set({ results: { eth_getTransactionCount: "0x63", eth_getTransactionReceipt: null } });
    const { transactionHash } = await pay();
    expect(await ask("eth_getTransactionCount", alice.address, "latest")).toMatchObject({ result: "0x63" });
    expect(await ask("eth_getTransactionReceipt", transactionHash)).toMatchObject({ result: null });
  });

  it("returns false results depending on the request", async () => {
    host.lie = ({ params }, reply) => (params[0] === stranger ? { result: "0x1" } : reply);
    expect(await ask("eth_getBalance", stranger, "latest")).toMatchObject({ result: "0x1" });
    const other = `${stranger.slice(0, -1)}b`;
    expect(await ask("eth_getBalance", other, "latest")).toMatchObject({ result: "0x0" });
  });

  it("learns of blocks with the configured lag", async () => {
    const heads = createHeads(() => nowMs);
    let nowMs = 0;
    const late = await startSecondHost({ chainUrl: chain.url, canBeSet: true, heads });
    onTestFinished(() => late.close());
    await set({ lagMs: 600 }, late.url);
    const asking = rpcHost({ url: late.url, identity: chainIdentity(1) });
    const first = await asking.request([blockCall("latest")]);
    await chain.mine();
    nowMs = 200;
    expect(await asking.request([blockCall("latest")])).toEqual(first);
    nowMs = 799;
    expect(await asking.request([blockCall("latest")])).toEqual(first);
    nowMs = 800;
    expect(await asking.request([blockCall("latest")])).not.toEqual(first);
  });

  it.each([
    [10, "base", 200, { id: null, error: { code: -32014, message: "maximum 10 calls in 1 batch" } }],
    [3, "drpc", 500, Array.from({ length: 4 }, (_, id) => ({ id, error: { code: 31 } }))],
  ] as const)(
    "accepts at most %i calls in a batch with the limit of %s",
    async (most, batchLimit, status, refusal) => {
      await set({ batchLimit });
      const batch = (length: number) =>
        post(
          Array.from({ length }, (_, id) => ({ jsonrpc: "2.0", id, method: "eth_blockNumber", params: [] })),
        );
      const taken = await batch(most);
      expect(await taken.json()).toEqual(
        Array(most).fill(expect.objectContaining({ result: expect.any(String) })),
      );
      const refused = await batch(most + 1);
      expect(refused.status).toBe(status);
      expect(await refused.json()).toMatchObject(refusal);
    },
  );

  it.each([
    ["unknown", -32601],
    ["unsupported", -32600],
    ["notWhitelisted", -32001],
    ["gasLimit", -38015],
  ] as const)(
    "refuses simulations with the fault %s and answers all other requests",
    async (simulation, code) => {
      await set({ simulation });
      expect(await ask("eth_simulateV1", { blockStateCalls: [] }, "latest")).toMatchObject({
        error: { code },
      });
      expect(await ask("eth_getBalance", stranger, "latest")).toMatchObject({ result: "0x0" });
    },
  );

  it("reports no tips with the fault zeroTips", async () => {
    await pay();
    const history = () => ask("eth_feeHistory", "0x1", "latest", [10, 90]);
    expect(await history()).not.toMatchObject({ result: { reward: [["0x0", "0x0"]] } });
    await set({ zeroTips: true });
    expect(await history()).toMatchObject({ result: { reward: [["0x0", "0x0"]] } });
    for (const method of ["eth_gasPrice", "eth_maxPriorityFeePerGas"])
      expect(await ask(method)).toMatchObject({ result: "0x0" });
  });

  it("omits the next block from its fee history with the fault shortFeeHistory", async () => {
    // Names the block, because the chain may make another between the two answers.
    const { result: newest } = await ask("eth_blockNumber");
    const baseFees = async () => {
      const { result } = await ask("eth_feeHistory", "0x2", newest, []);
      return (result as { baseFeePerGas: string[] }).baseFeePerGas;
    };
    const whole = await baseFees();
    expect(whole).toHaveLength(3);
    await set({ shortFeeHistory: true });
    expect(await baseFees()).toEqual(whole.slice(0, 2));
  });

  describe("a second host with wrong logs", () => {
    type Log = Record<"logIndex" | "blockNumber" | "data", string> & {
      blockTimestamp?: string;
      removed: boolean;
    };
    let first: number;
    beforeEach(async () => {
      first = Number((await ask("eth_blockNumber")).result) + 1;
      const deposit = { from: alice.address, to: chain.contracts.wrapped.token, data: "0xd0e30db0" };
      for (const value of [1n, 2n, 3n]) await chain.transact({ ...deposit, value });
    });

    async function logs(faults: HostFaults): Promise<Log[]> {
      await set(faults);
      const { token } = chain.contracts.wrapped;
      const range = {
        fromBlock: `0x${first.toString(16)}`,
        toBlock: `0x${(first + 2).toString(16)}`,
        address: [token, stranger],
      };
      const { result, error } = await ask("eth_getLogs", range);
      if (error !== undefined) throw new Error(error.message);
      return result as Log[];
    }
    const blocks = async (faults: HostFaults) =>
      (await logs(faults)).map(({ blockNumber }) => Number(blockNumber) - first);

    it.each([
      [undefined, [0, 1, 2]],
      ["hidesNewest", [0, 1]],
      ["hidesMiddle", [0, 2]],
      ["repeats", [0, 1, 2, 0, 1, 2]],
      ["reverses", [2, 1, 0]],
      ["invents", [0, 1, 2, 1]],
      ["alters", [0, 1, 2]],
    ] as const)("returns wrong blocks in its logs with the fault %s", async (way, expected) => {
      expect(await blocks({ ...(way && { logs: way }) })).toEqual(expected);
    });

    it("changes fields of its logs as configured", async () => {
      const [first, middle] = await logs({});
      const [same, altered] = await logs({ logs: "alters" });
      expect(same).toEqual(first);
      expect(altered).toEqual({ ...middle, data: `0x${"1".padStart(64, "0")}` });
      expect((await logs({ logs: "invents" }))[3]).toEqual({ ...middle, logIndex: "0x3e8" });
      for (const log of await logs({ logs: "removes" })) expect(log.removed).toBe(true);
      for (const log of await logs({ logs: "zeroTimes" })) expect(log.blockTimestamp).toBe("0x0");
      for (const log of await logs({ logs: "noTimes" })) expect(log).not.toHaveProperty("blockTimestamp");
    });

    it.each([
      [{ refusesLogs: "unknown" }, "does not exist"],
      [{ refusesLogs: "limitExceeded" }, /^limit exceeded$/],
      [{ refusesLogs: "busy" }, "too many requests"],
      [{ logBlocks: 2 }, "limited to a 2 block range"],
      [{ logAddresses: 1 }, "less number of addresses"],
      [{ mostLogs: 2 }, "more than 2 results"],
    ] as const)("refuses requests for logs with the fault %o", async (faults, message) => {
      await expect(logs(faults)).rejects.toThrow(message);
      expect(await blocks({ logBlocks: 3, logAddresses: 2, mostLogs: 3 })).toEqual([0, 1, 2]);
    });
  });

  it("keeps only the states of its newest blocks", async () => {
    await chain.mine(3);
    await set({ keptStates: 2 });
    const head = Number((await ask("eth_blockNumber")).result);
    const [kept, pruned] = [head - 1, head - 2].map((number) => `0x${number.toString(16)}`);
    expect(await ask("eth_getBalance", stranger, kept)).toMatchObject({ result: "0x0" });
    expect(await ask("eth_getBalance", stranger, pruned)).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(/^missing trie node/) },
    });
    expect(await ask("eth_getBlockByNumber", pruned, false)).toMatchObject({ result: { number: pruned } });
  });

  it("limits a call to the configured gas", async () => {
    // Returns the gas left, as the code of a new contract.
    const data = "0x5a5f5260205ff3";
    const gasOf = async (gas?: string) => Number((await ask("eth_call", { data, gas }, "latest")).result);
    expect(await gasOf("0x1c9c380")).toBeGreaterThan(29_000_000);
    await set({ mostGas: 5_000_000 });
    for (const gas of ["0x1c9c380", undefined]) expect(await gasOf(gas)).toBeLessThan(5_000_000);
    expect(await gasOf("0x30d40")).toBeLessThan(200_000);
  });

  it("fails to find blocks by number in the configured fraction of requests", async () => {
    const { result: head } = await ask("eth_blockNumber");
    await set({ headerNotFound: 1 });
    expect(await ask("eth_getBalance", stranger, head)).toMatchObject({
      error: { code: -32000, message: "header not found" },
    });
    expect(await ask("eth_getBlockByNumber", head, false)).toMatchObject({ result: null });
    expect(await ask("eth_getBalance", stranger, "latest")).toMatchObject({ result: "0x0" });
    await set({ headerNotFound: 0.5 });
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => ask("eth_getBalance", stranger, head)),
    );
    const found = replies.filter(({ result }) => result === "0x0").length;
    expect(found).toBeGreaterThan(8);
    expect(found).toBeLessThan(32);
  });

  it.each([
    ["insufficientFunds", /^insufficient funds for gas \* price \+ value/],
    ["replacementUnderpriced", /^replacement transaction underpriced$/],
    ["underpriced", /^transaction underpriced/],
  ] as const)("refuses and discards transactions with the fault %s", async (fault, message) => {
    const raw = await new Wallet(alice.privateKey).signTransaction({
      type: 2,
      chainId: 1,
      nonce: 0,
      to: stranger,
      value: 1n,
      gasLimit: 21_000n,
      maxFeePerGas: 20n * 10n ** 9n,
      maxPriorityFeePerGas: 10n ** 9n,
    });
    await set({ [fault]: 1 });
    const error = { code: -32000, message: expect.stringMatching(message) };
    expect(await ask("eth_sendRawTransaction", raw)).toMatchObject({ error });
    expect(await chain.request("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
    await set({});
    expect(await ask("eth_sendRawTransaction", raw)).toMatchObject({ result: Transaction.from(raw).hash });
  });

  it("quotes the request in errors of 10,000 bytes", async () => {
    await set({ longError: 1 });
    const body = await (await post({ id: 7, method: "eth_getBalance", params: [stranger, "latest"] })).text();
    expect(body.length).toBeGreaterThanOrEqual(10_000);
    expect(JSON.parse(body)).toMatchObject({ id: 7, error: { message: expect.stringContaining(stranger) } });
  });

  it("knows nothing after its newest block while it lags", async () => {
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
