import { type SolHost, type SolHostFaults, startSolHost } from "trading-terminal-devnet/sol/sol-host";
import { createSolNode, type SolNode } from "trading-terminal-devnet/sol/sol-node";
import { slotMs, startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { signedWire, type TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { rpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { chainTimeCall, genesisHashCall } from "../../../lib/chains/sol/calls/rpc-call.ts";
import { transferLamports } from "../../../lib/chains/sol/venues/instructions.ts";
import { askOne, setFaults } from "../../support/local-hosts.ts";

let chain: TestSurfnet;
let node: SolNode;
let first: SolHost;
let second: SolHost;
let wallet: TestWallet;
let payee: TestWallet;
beforeAll(async () => {
  chain = await startTestSurfnet();
  node = createSolNode(chain);
  [first, second] = await Promise.all([
    startSolHost({ node, slotMs }),
    startSolHost({ node, slotMs, canBeSet: true }),
  ]);
  [wallet, payee] = [await chain.newWallet(), await chain.newWallet()];
});
afterEach(() => {
  second.faults = {};
  second.lie = (_, reply) => reply;
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await chain.stop();
});

const ask = (method: string, ...params: unknown[]) => askOne(second.url, method, ...params);
const set = (faults: SolHostFaults) => setFaults(second.url, faults);

const processed = { commitment: "processed" };
const final = { commitment: "finalized", maxSupportedTransactionVersion: 0 };
const base64 = { encoding: "base64" };

const slotOf = async (host: SolHost) => (await askOne(host.url, "getSlot", processed)).result as number;

/** Waits until the chain is this many slots further than now. */
async function slotsLater(count: number): Promise<void> {
  const end = (await slotOf(first)) + count;
  await expect.poll(() => slotOf(first)).toBeGreaterThanOrEqual(end);
}

let lamports = 1_000_000n;

/** Signs a payment of a new amount with a blockhash from the first host. */
async function payment() {
  const { result } = await askOne(first.url, "getLatestBlockhash");
  const { blockhash } = (result as { value: { blockhash: string } }).value;
  lamports += 1n;
  const signed = signedWire(wallet, [transferLamports(wallet.address, payee.address, lamports)], blockhash);
  return { ...signed, blockhash, lamports: Number(lamports) };
}

type Found = { context: { slot: number }; value: ({ lamports: number } | null)[] };

describe("a host of the local Solana chain", () => {
  it.each([
    ["empty", "EMPTY"],
    ["garbage", "NOT_JSON"],
    ["html", "NOT_JSON"],
    ["huge", "TOO_LARGE"],
    ["stalled", "TIMEOUT"],
    ["unavailable", "BAD_STATUS"],
    ["rateLimited", "TOO_MANY_REQUESTS"],
    ["otherChain", "WRONG_CHAIN"],
  ] as const)("simulates the fault %s, which the client reports as %s", async (fault, code) => {
    const chainId = (await ask("getGenesisHash")).result as string;
    await set({ [fault]: 1 });
    const timeoutMs = fault === "stalled" ? 200 : 10_000;
    const asking = rpcHost({
      url: second.url,
      identity: { id: chainId, call: genesisHashCall() },
      timeoutMs,
    });
    await expect(asking.request([chainTimeCall({ commitment: "finalized" })])).rejects.toMatchObject({
      code,
    });
  });

  it("sets faults only if the runner was started with --faults", async () => {
    await setFaults(first.url, { stalled: 1 });
    expect(first.faults).toEqual({});
  });

  it("returns false results for any method or depending on the request", async () => {
    await set({ results: { getSlot: 7 } });
    expect(await ask("getSlot")).toMatchObject({ result: 7 });
    second.lie = ({ params }, reply) => (params[0] === payee.address ? { result: "a lie" } : reply);
    expect(await ask("getBalance", payee.address)).toMatchObject({ result: "a lie" });
    expect(await ask("getBalance", wallet.address)).toMatchObject({ result: { context: {} } });
  });

  it.each([
    ["nodeBehind", "getSlot", -32005],
    ["longError", "getSlot", -32603],
    ["blockhashNotFound", "sendTransaction", -32002],
  ] as const)("refuses requests with the fault %s", async (fault, method, code) => {
    const { wire } = await payment();
    await set({ [fault]: 1 });
    expect(await ask(method, wire, base64)).toMatchObject({ error: { code } });
  });

  it("finds no blockhash in simulations with the fault blockhashNotFound", async () => {
    const { wire } = await payment();
    await set({ blockhashNotFound: 1 });
    const simulated = await ask("simulateTransaction", wire, base64);
    expect(simulated).toMatchObject({ result: { value: { err: "BlockhashNotFound" } } });
  });

  it("drops sent transactions with the fault dropSends", async () => {
    const { wire, signature } = await payment();
    await set({ dropSends: 1 });
    expect(await ask("sendTransaction", wire, base64)).toMatchObject({ result: signature });
    await slotsLater(3);
    expect(await askOne(first.url, "getTransaction", signature, final)).toMatchObject({ result: null });
  });

  it("forgets transactions with the fault pruned", async () => {
    const { wire, signature } = await payment();
    await ask("sendTransaction", wire, base64);
    const statuses = () => ask("getSignatureStatuses", [signature]);
    await expect.poll(statuses).toMatchObject({ result: { value: [{ err: null }] } });
    await set({ pruned: 1 });
    expect(await statuses()).toMatchObject({ result: { value: [null] } });
    expect(await ask("getTransaction", signature, final)).toMatchObject({ result: null });
  });

  it("returns older slots than before in the configured fraction of responses", async () => {
    await set({ backwards: 0.5 });
    const slots: number[] = [];
    while (slots.length < 20) slots.push(await slotOf(second));
    expect(slots).not.toEqual(slots.toSorted((a, b) => a - b));
  });

  describe("a lagging Solana host", () => {
    // Larger than the number of slots that pass before a busy machine responds.
    const slotsBehind = 40;

    it("stays at its slot, then follows the chain at the configured distance", async () => {
      await set({ slotsBehind });
      const before = await slotOf(second);
      await slotsLater(2);
      expect(await slotOf(second)).toBe(before);
      await slotsLater(slotsBehind + 5);
      await expect.poll(() => slotOf(second)).toBeGreaterThan(before);
      const shown = await slotOf(second);
      expect((await slotOf(first)) - shown).toBeGreaterThanOrEqual(slotsBehind - 1);
      const epochOf = async (host: SolHost) =>
        (await askOne(host.url, "getEpochInfo", processed)).result as Record<string, number>;
      const then = await epochOf(second);
      const now = await epochOf(first);
      for (const field of ["absoluteSlot", "blockHeight", "slotIndex"])
        expect(Number(now[field]) - Number(then[field]), field).toBeGreaterThanOrEqual(slotsBehind - 2);
      expect(await ask("getEpochInfo", { minContextSlot: shown + slotsBehind })).toMatchObject({
        error: { code: -32016 },
      });
    });

    it("learns of a transaction, its effects and its blockhash together", async () => {
      const addresses = [payee.address, wallet.address];
      const accounts = async (host: SolHost) =>
        (await askOne(host.url, "getMultipleAccounts", addresses, base64)).result as Found;
      const { value } = await accounts(first);
      await set({ slotsBehind });
      await slotOf(second);
      const { wire, signature, message, blockhash, lamports } = await payment();
      expect(await ask("isBlockhashValid", blockhash)).toMatchObject({ result: { value: false } });
      expect(await ask("getFeeForMessage", message)).toMatchObject({ result: { value: null } });
      expect(await ask("sendTransaction", wire, base64)).toMatchObject({ error: { code: -32002 } });
      expect(await ask("simulateTransaction", wire, base64)).toMatchObject({
        result: { value: { err: "BlockhashNotFound" } },
      });
      expect(await ask("sendTransaction", wire, { ...base64, skipPreflight: true })).toMatchObject({
        result: signature,
      });
      await expect
        .poll(() => askOne(first.url, "getTransaction", signature, final))
        .not.toMatchObject({
          result: null,
        });
      const { slot } = (await askOne(first.url, "getTransaction", signature, final)).result as {
        slot: number;
      };
      for (let shown = 0; shown <= slot; ) {
        const before = await slotOf(second);
        const statuses = (await ask("getSignatureStatuses", [signature])).result as {
          value: ({ slot: number } | null)[];
        };
        const found = await accounts(second);
        shown = found.context.slot;
        if (statuses.value[0] !== null) expect(found.context.slot).toBeGreaterThan(slot);
        if (shown < slot - 1) expect(found.value).toMatchObject(value.map((each) => ({ ...each })));
        if (before > slot) expect(statuses.value).toMatchObject([{ slot, err: null }]);
        if (shown >= slot) expect(found.value[0]?.lamports).toBe(Number(value[0]?.lamports) + lamports);
      }
      const found = () => ask("getTransaction", signature, final);
      await expect.poll(found).toMatchObject({ result: { slot } });
    });

    it("issues blockhashes of its own, older slot, and the other host accepts them", async () => {
      await set({ slotsBehind });
      const { result } = await ask("getLatestBlockhash");
      const { context, value } = result as { context: { slot: number }; value: { blockhash: string } };
      expect(context.slot).toBeLessThan(await slotOf(first));
      expect(await ask("isBlockhashValid", value.blockhash)).toMatchObject({ result: { value: true } });
      const there = await askOne(first.url, "isBlockhashValid", value.blockhash);
      expect(there).toMatchObject({ result: { value: true } });
    });

    it("rejects requests that it cannot answer", async () => {
      await set({ slotsBehind });
      const refused = await ask("getProgramAccounts", wallet.address);
      expect(refused).toMatchObject({ error: { code: -32005 } });
      expect(await ask("getGenesisHash")).toMatchObject({ result: expect.any(String) });
      const { value } = (await ask("getBalance", wallet.address)).result as { value: number };
      expect(value).toBeGreaterThan(0);
    });
  });
});
