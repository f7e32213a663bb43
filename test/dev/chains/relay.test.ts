import { Transaction } from "ethers/transaction";
import { Wallet } from "ethers/wallet";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { publishCall } from "../../../lib/chains/rpc-call.ts";
import { rpcHost } from "../../../lib/chains/rpc-host.ts";
import { type Relay, startRelay } from "../../../lib/dev/chains/relay.ts";
import { alice, startTestChain, type TestChain } from "../../support/local-chain.ts";

const stranger = "0x00000000000000000000000000000000000000aa";
const gwei = 10n ** 9n;

describe("the relay of a local chain", () => {
  let chain: TestChain;
  let relay: Relay;

  beforeAll(async () => {
    chain = await startTestChain();
  });
  beforeEach(async () => {
    relay = await startRelay({ chainID: 1, request: chain.request, canBeSet: true });
  });
  afterEach(async () => {
    await relay.close();
    await chain.restore();
  });
  afterAll(() => chain.close());

  type Changes = { nonce?: number; to?: string; data?: string; maxFeePerGas?: bigint; chainId?: number };

  async function signed(changes: Changes = {}): Promise<{ raw: string; hash: string }> {
    const raw = await new Wallet(alice.privateKey).signTransaction({
      ...{ type: 2, chainId: 1, nonce: 0, to: stranger, value: 1n, gasLimit: 100_000n },
      ...{ maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gwei },
      ...changes,
    });
    return { raw, hash: Transaction.from(raw).hash ?? "" };
  }

  const send = (raw: string, timeoutMs = 5000) =>
    rpcHost({ url: relay.url, timeoutMs }).request([publishCall(raw)]);

  const receipt = (hash: string) => chain.request("eth_getTransactionReceipt", [hash]);

  it("includes a transaction that no pool has had", async () => {
    const { raw, hash } = await signed();
    expect(await send(raw)).toEqual([hash]);
    expect(relay.hasWaiting()).toBe(true);
    expect(await chain.request("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
    expect(await chain.request("eth_getTransactionByHash", [hash])).toBeNull();
    expect(await chain.request("eth_getTransactionCount", [alice.address, "pending"])).toBe("0x0");
    await relay.mine();
    expect(await receipt(hash)).toMatchObject({ status: "0x1" });
    expect(relay.hasWaiting()).toBe(false);
  });

  it("makes blocks also with what is in the public pool", async () => {
    const hash = await chain.request("eth_sendTransaction", [{ from: alice.address, to: stranger }]);
    await relay.mine();
    expect(await receipt(hash as string)).toMatchObject({ status: "0x1" });
  });

  it("delays transactions by as many blocks as its faults say", async () => {
    relay.faults = { delayBlocks: 2 };
    const { raw, hash } = await signed();
    await send(raw);
    for (const isIncluded of [false, false, true]) {
      await relay.mine();
      expect((await receipt(hash)) !== null).toBe(isIncluded);
    }
  });

  it("leaves out what would revert, until it does not", async () => {
    const { raw, hash } = await signed({ to: chain.contracts.wrapped.token, data: "0x12345678" });
    await chain.request("anvil_setCode", [chain.contracts.wrapped.token, "0xfe"]);
    await send(raw);
    await relay.mine();
    expect(await receipt(hash)).toBeNull();
    await chain.request("anvil_setCode", [chain.contracts.wrapped.token, "0x00"]);
    await relay.mine();
    expect(await receipt(hash)).toMatchObject({ status: "0x1" });
  });

  it("keeps what is not next, and gives up after 25 blocks", async () => {
    const [second, third] = [await signed({ nonce: 1 }), await signed({ nonce: 2 })];
    await send(second.raw);
    await send(third.raw);
    await relay.mine();
    expect(await receipt(second.hash)).toBeNull();
    await chain.transact({ from: alice.address, to: stranger });
    await relay.mine();
    expect(await receipt(second.hash)).toMatchObject({ status: "0x1" });
    await chain.request("anvil_setBalance", [alice.address, "0x0"]);
    let blocks = 2;
    for (; relay.hasWaiting(); blocks++) await relay.mine();
    expect(blocks).toBe(25);
    expect(await receipt(third.hash)).toBeNull();
  });

  it("forgets what can never be included", async () => {
    const { raw } = await signed();
    await send(raw);
    await chain.transact({ from: alice.address, to: stranger });
    await relay.mine();
    expect(relay.hasWaiting()).toBe(false);
  });

  it("leaves nothing in the pool that the block did not take", async () => {
    const { raw, hash } = await signed();
    await send(raw);
    await chain.request("evm_setBlockGasLimit", ["0x1adb0"]);
    const fees = { maxPriorityFeePerGas: "0x4a817c800", maxFeePerGas: "0x9502f9000" };
    const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    await chain.request("eth_sendTransaction", [{ from: other, to: stranger, ...fees }]);
    await relay.mine();
    await chain.request("evm_setBlockGasLimit", ["0x3938700"]);
    expect(await receipt(hash)).toBeNull();
    expect(await chain.request("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
    await relay.mine();
    expect(await receipt(hash)).toMatchObject({ status: "0x1" });
  });

  it("includes the last of several transactions with one nonce", async () => {
    const [first, second] = [await signed(), await signed({ maxFeePerGas: 30n * gwei })];
    await send(first.raw);
    await send(second.raw);
    await relay.mine();
    expect([await receipt(first.hash), await receipt(second.hash)]).toEqual([
      null,
      expect.objectContaining({ status: "0x1" }),
    ]);
  });

  it.each([
    ["lost", true, false],
    ["silent", false, true],
    ["stalled", false, false],
  ] as const)("answers and includes with the fault %s: %s and %s", async (fault, answers, includes) => {
    relay.faults = { [fault]: 1 };
    const { raw, hash } = await signed();
    const answer = send(raw, 200).then(
      ([said]) => said === hash,
      ({ reason }) => reason !== "TIMEOUT",
    );
    expect(await answer).toBe(answers);
    await relay.mine();
    expect((await receipt(hash)) !== null).toBe(includes);
  });

  it("is set over HTTP", async () => {
    const set = (body: string) =>
      fetch(`${relay.url}/_local/faults`, {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body,
      });
    expect(await (await set('{"lost":0.5,"delayBlocks":3}')).json()).toEqual({ lost: 0.5, delayBlocks: 3 });
    expect(relay.faults).toEqual({ lost: 0.5, delayBlocks: 3 });
    expect((await set('{"garbage":1}')).status).toBe(400);
  });

  it("refuses all but signed transactions of its chain", async () => {
    relay.faults = { refused: 1 };
    await expect(send((await signed()).raw)).rejects.toMatchObject({ name: "RpcRefusal", code: -32000 });
    relay.faults = {};
    await expect(send((await signed({ chainId: 56 })).raw)).rejects.toMatchObject({ code: -32000 });
    const unsigned = Transaction.from({ type: 2, chainId: 1, to: stranger }).unsignedSerialized;
    for (const raw of [unsigned, "0x12", "", undefined])
      await expect(send(raw as string), raw).rejects.toMatchObject({ code: -32602 });
    const ask = async (body: unknown) => {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(relay.url, { method: "POST", headers, body: JSON.stringify(body) });
      return (await response.json()) as { error: { code: number } };
    };
    const question = { jsonrpc: "2.0", id: 1, method: "eth_chainId" };
    expect((await ask(question)).error.code).toBe(-32601);
    expect((await ask([question])).error.code).toBe(-32600);
    expect((await ask("hello")).error.code).toBe(-32600);
    expect(relay.hasWaiting()).toBe(false);
  });
});
