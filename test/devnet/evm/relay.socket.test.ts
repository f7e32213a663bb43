import { Transaction } from "ethers/transaction";
import { Wallet } from "ethers/wallet";
import { type Relay, startRelay } from "trading-terminal-devnet/evm/relay";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { publishCall } from "../../../lib/chains/evm/calls/rpc-call.ts";
import { rpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { setFaults } from "../../support/local-hosts.ts";

const stranger = "0x00000000000000000000000000000000000000aa";
const gwei = 10n ** 9n;
const emptyPool = { pending: "0x0", queued: "0x0" };

describe("the relay of a local chain", () => {
  let chain: TestChain;
  let relay: Relay;
  let nowMs: number;

  beforeAll(async () => {
    chain = await startTestChain();
  });
  beforeEach(async () => {
    nowMs = 0;
    relay = await startRelay({ chainId: 1, request: chain.request, canBeSet: true, now: () => nowMs });
  });
  afterEach(async () => {
    await relay.close();
    await chain.restore();
  });
  afterAll(() => chain.close());

  async function signed(
    changes: { to?: string; data?: string; value?: bigint; maxFeePerGas?: bigint } = {},
  ): Promise<{ raw: string; hash: string }> {
    const raw = await new Wallet(alice.privateKey).signTransaction({
      type: 2,
      chainId: 1,
      nonce: 0,
      to: stranger,
      value: 1n,
      gasLimit: 100_000n,
      maxFeePerGas: 20n * gwei,
      maxPriorityFeePerGas: gwei,
      ...changes,
    });
    return { raw, hash: Transaction.from(raw).hash ?? "" };
  }

  const send = (raw: string, timeoutMs = 5000) =>
    rpcHost({ url: relay.url, timeoutMs }).request([publishCall(raw)]);

  const receipt = (hash: string) => chain.request("eth_getTransactionReceipt", [hash]);

  const set = (faults: object) => setFaults(relay.url, faults);

  it("hides a transaction from the public pool until a block contains it", async () => {
    const { raw, hash } = await signed();
    expect(await send(raw)).toEqual([hash]);
    expect(await chain.request("txpool_status")).toEqual(emptyPool);
    expect(await chain.request("eth_getTransactionByHash", [hash])).toBeNull();
    expect(await chain.request("eth_getTransactionCount", [alice.address, "pending"])).toBe("0x0");
    await relay.mine();
    expect(await receipt(hash)).toMatchObject({ status: "0x1" });
  });

  it("leaves no transaction in the public pool that did not fit in the block", async () => {
    const { raw, hash } = await signed();
    await send(raw);
    await chain.request("evm_setBlockGasLimit", ["0x1adb0"]);
    const fees = { maxPriorityFeePerGas: "0x4a817c800", maxFeePerGas: "0x9502f9000" };
    const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    await chain.request("eth_sendTransaction", [{ from: other, to: stranger, ...fees }]);
    await relay.mine();
    await chain.request("evm_setBlockGasLimit", ["0x3938700"]);
    expect(await receipt(hash)).toBeNull();
    expect(await chain.request("txpool_status")).toEqual(emptyPool);
  });

  it("skips a transaction until it no longer reverts", async () => {
    const { token } = chain.contracts.wrapped;
    const { raw, hash } = await signed({ to: token, data: "0x12345678" });
    await send(raw);
    for (const [code, included] of [
      ["0xfe", null],
      ["0x00", expect.objectContaining({ status: "0x1" })],
    ]) {
      await chain.request("anvil_setCode", [token, code]);
      await relay.mine();
      expect(await receipt(hash)).toEqual(included);
    }
  });

  it("includes only the last of several transactions with the same nonce", async () => {
    const [first, second] = [await signed(), await signed({ maxFeePerGas: 30n * gwei })];
    await send(first.raw);
    await send(second.raw);
    await relay.mine();
    expect(await receipt(first.hash)).toBeNull();
    expect(await receipt(second.hash)).toMatchObject({ status: "0x1" });
  });

  describe("the relay, when it gets an empty transaction from a wallet to itself", () => {
    const clear = (maxFeePerGas = 30n * gwei) => signed({ to: alice.address, value: 0n, maxFeePerGas });

    it("accepts a cancellation, drops the transaction with its nonce and includes neither", async () => {
      const [swap, cancellation] = [await signed(), await clear()];
      await send(swap.raw);
      expect(await send(cancellation.raw)).toEqual([cancellation.hash]);
      await relay.mine();
      expect(await receipt(swap.hash)).toBeNull();
      expect(await receipt(cancellation.hash)).toBeNull();
      expect(relay.hasWaiting()).toBe(false);
    });

    it("remembers a cancelled nonce for ten minutes, even after dropping its transaction", async () => {
      await send((await signed()).raw);
      await send((await clear()).raw);
      nowMs = 599_999;
      const [early, late] = [await clear(31n * gwei), await clear(32n * gwei)];
      await send(early.raw);
      expect(relay.hasWaiting()).toBe(false);
      nowMs = 600_000;
      await send(late.raw);
      await relay.mine();
      expect(await receipt(late.hash)).toMatchObject({ status: "0x1" });
    });

    it("lets a second cancellation remove one that was accepted as an ordinary transaction", async () => {
      await send((await clear()).raw);
      expect(relay.hasWaiting()).toBe(true);
      await send((await clear(40n * gwei)).raw);
      expect(relay.hasWaiting()).toBe(false);
    });
  });

  it("drops a transaction that stays out of blocks for 25 blocks", async () => {
    await send((await signed({ to: chain.contracts.wrapped.token, data: "0x12345678" })).raw);
    await chain.request("anvil_setCode", [chain.contracts.wrapped.token, "0xfe"]);
    for (let block = 1; block < 25; block++) await relay.mine();
    expect(relay.hasWaiting()).toBe(true);
    await relay.mine();
    expect(relay.hasWaiting()).toBe(false);
  });

  it("delays transactions by the number of blocks set as a fault", async () => {
    await set({ delayBlocks: 2 });
    const { raw, hash } = await signed();
    await send(raw);
    for (const isIncluded of [false, false, true]) {
      await relay.mine();
      expect((await receipt(hash)) !== null).toBe(isIncluded);
    }
  });

  it.each([
    ["refused", "REFUSED", false],
    ["lost", "hash", false],
    ["silent", "TIMEOUT", true],
    ["stalled", "TIMEOUT", false],
  ] as const)(
    "simulates the fault %s: it answers %s, and includes the transaction: %s",
    async (fault, answer, includes) => {
      await set({ [fault]: 1 });
      const { raw, hash } = await signed();
      const answered = await send(raw, 200).then(
        ([said]) => said === hash && "hash",
        ({ name, code }) => (name === "RpcRefusal" ? "REFUSED" : code),
      );
      expect(answered).toBe(answer);
      await relay.mine();
      expect((await receipt(hash)) !== null).toBe(includes);
    },
  );
});
