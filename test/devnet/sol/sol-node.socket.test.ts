import { askRpc } from "trading-terminal-devnet/rpc-service";
import { type SolHost, startSolHost } from "trading-terminal-devnet/sol/sol-host";
import { createSolNode, type SolNode } from "trading-terminal-devnet/sol/sol-node";
import { slotMs, startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { signedWire, type TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RpcCall } from "../../../lib/chains/hosts/rpc-call.ts";
import { rpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { programs } from "../../../lib/chains/sol/calls/addresses.ts";
import { genesisHashCall } from "../../../lib/chains/sol/calls/rpc-call.ts";
import { transferLamports } from "../../../lib/chains/sol/venues/instructions.ts";
import { askOne } from "../../support/local-hosts.ts";

let chain: TestSurfnet;
let node: SolNode;
let host: SolHost;
let wallet: TestWallet;
beforeAll(async () => {
  chain = await startTestSurfnet();
  node = createSolNode(chain);
  host = await startSolHost({ node, slotMs });
  wallet = await chain.newWallet();
});
afterAll(async () => {
  await host.close();
  await chain.stop();
});

const ask = (method: string, ...params: unknown[]) => askOne(host.url, method, ...params);

const latest = async () => {
  const { result } = await ask("getLatestBlockhash");
  return (result as { value: { blockhash: string } }).value.blockhash;
};

const units = 100_000;
const price = 1_500_001n;
/** Base fee plus ⌈100,000 × 1.500001⌉ lamports. */
const fee = 5000 + 150_001;

function budget() {
  const [limit, microLamports] = [Buffer.alloc(5), Buffer.alloc(9)];
  limit.writeUInt8(2);
  limit.writeUInt32LE(units, 1);
  microLamports.writeUInt8(3);
  microLamports.writeBigUInt64LE(price, 1);
  return [limit, microLamports].map((data) => ({
    programAddress: programs.computeBudget,
    data,
    accounts: [],
  }));
}

const final = { commitment: "finalized", maxSupportedTransactionVersion: 0 };

const base64 = { encoding: "base64" } as const;

describe("the node of the local Solana chain", () => {
  it("reports the whole fee and the time of a transaction", async () => {
    const before = (await ask("getBalance", wallet.address)).result as { value: number };
    const { wire, message, signature } = signedWire(wallet, budget(), await latest());
    expect(await ask("getFeeForMessage", message)).toMatchObject({ result: { value: fee } });
    await ask("sendTransaction", wire, { ...base64, skipPreflight: true });
    const found = async () => (await ask("getTransaction", signature, final)).result;
    await expect.poll(found).toMatchObject({ meta: { fee, err: null } });
    const result = await found();
    const after = (await ask("getBalance", wallet.address)).result as { value: number };
    expect(before.value - after.value).toBe(fee);
    const { blockTime } = result as { blockTime: number };
    expect(Math.abs(blockTime - Date.now() / 1000)).toBeLessThan(60);
  });

  it("charges for the default compute units when no limit is set, up to a transaction's maximum", async () => {
    const [, price] = budget();
    const feeOf = async (transfers: number) => {
      const instructions = Array(transfers).fill(transferLamports(wallet.address, wallet.address, 1n));
      const { message } = signedWire(wallet, [price as never, ...instructions], await latest());
      return (await ask("getFeeForMessage", message)).result;
    };
    expect(await feeOf(1)).toMatchObject({ value: 5000 + 300_001 });
    expect(await feeOf(8)).toMatchObject({ value: 5000 + 2_100_002 });
  });

  it("accepts only blockhashes that one of its hosts has issued", async () => {
    const hosts = [node, node, createSolNode(chain)].map((each) => startSolHost({ node: each, slotMs }));
    const [one, other, stranger] = (await Promise.all(hosts)) as [SolHost, SolHost, SolHost];
    try {
      const { result } = await askOne(one.url, "getLatestBlockhash");
      const { blockhash } = (result as { value: { blockhash: string } }).value;
      const { wire, message, signature } = signedWire(wallet, budget(), blockhash);
      const askedAt = async ({ url }: SolHost) => ({
        valid: (await askOne(url, "isBlockhashValid", blockhash)).result,
        fee: (await askOne(url, "getFeeForMessage", message)).result,
        simulated: (await askOne(url, "simulateTransaction", wire, base64)).result,
        replaced: (
          await askOne(url, "simulateTransaction", wire, { ...base64, replaceRecentBlockhash: true })
        ).result,
      });
      const replaced = { value: { err: null } };
      expect(await askedAt(stranger)).toMatchObject({
        valid: { value: false },
        fee: { value: null },
        replaced,
        simulated: { value: { err: "BlockhashNotFound" } },
      });
      expect(await askOne(stranger.url, "sendTransaction", wire, base64)).toMatchObject({
        error: { code: -32002, data: { err: "BlockhashNotFound" } },
      });
      const blind = { ...base64, skipPreflight: true };
      expect(await askOne(stranger.url, "sendTransaction", wire, blind)).toMatchObject({ result: signature });
      expect(await askedAt(other)).toMatchObject({
        valid: { value: true },
        fee: { value: fee },
        replaced,
        simulated: { value: { err: null } },
      });
      expect(await askOne(other.url, "sendTransaction", wire, base64)).toMatchObject({ result: signature });
      expect(await chain.inBlock(signature)).toMatchObject({ meta: { err: null } });
      // Real clusters also give this response when clients send a transaction again.
      expect(await askOne(one.url, "sendTransaction", wire, blind)).toMatchObject({ result: signature });
      expect(await askOne(one.url, "sendTransaction", wire, base64)).toMatchObject({
        error: { code: -32002, data: { err: "AlreadyProcessed" } },
      });
    } finally {
      await Promise.all([one, other, stranger].map((each) => each.close()));
    }
  });

  it("shows a transaction only at the commitments it has reached", async () => {
    const { wire, signature } = signedWire(wallet, budget(), await latest());
    await ask("sendTransaction", wire, base64);
    const found = { result: { slot: expect.any(Number) } };
    expect(await ask("getTransaction", signature, { ...final, commitment: "processed" })).toMatchObject(
      found,
    );
    await expect.poll(() => ask("getTransaction", signature, final)).toMatchObject(found);
    expect((await ask("getSignatureStatuses", [signature])).result).toMatchObject({
      value: [{ confirmationStatus: "finalized", confirmations: null }],
    });
  });

  it.each(["list", "transaction"])(
    "names one time for a slot in every answer, if the first is a %s",
    async (first) => {
      const asLater: SolNode["request"] = async (method, params) => {
        const result = await chain.request(method, params);
        return method === "getBlockTime" ? Number(result) + 1 : result;
      };
      const unsteady = createSolNode({ request: asLater });
      const sender = await chain.newWallet();
      const { wire, signature } = signedWire(sender, budget(), await latest());
      await ask("sendTransaction", wire, base64);
      await expect
        .poll(() => ask("getTransaction", signature, final))
        .toMatchObject({ result: { slot: expect.any(Number) } });
      const resultOf = async (method: string, ...params: unknown[]) => {
        const reply = await unsteady.replyTo({ id: 1, method, params });
        return "result" in reply ? reply.result : expect.fail(method);
      };
      const listed = async () => {
        const [newest] = (await resultOf("getSignaturesForAddress", sender.address)) as {
          blockTime: number;
        }[];
        return newest?.blockTime;
      };
      const opened = async () => {
        const found = (await resultOf("getTransaction", signature, final)) as { blockTime: number };
        return found.blockTime;
      };
      const [one, other] = first === "list" ? [listed, opened] : [opened, listed];
      const time = await one();
      expect(time).toBeGreaterThan(0);
      expect(await other()).toBe(time);
    },
  );

  it("calls all blocks but the newest final", async () => {
    const at = async (method: string, commitment: string) =>
      (await ask(method, { commitment })).result as number;
    for (const method of ["getSlot", "getBlockHeight"]) {
      const final = await at(method, "finalized");
      const newest = await at(method, "processed");
      expect(newest - final, method).toBeGreaterThanOrEqual(1);
      // The chain may have made a few blocks in the meantime.
      expect(newest - final, method).toBeLessThan(20);
    }
  });

  it("refuses requests for a later slot than it has reached", async () => {
    const slot = (await ask("getSlot", { commitment: "processed" })).result as number;
    const at = (minContextSlot: number) => ask("getMultipleAccounts", [wallet.address], { minContextSlot });
    expect(await at(slot + 1000)).toMatchObject({ error: { code: -32016 } });
    expect(await at(slot)).toMatchObject({ result: { value: [{ lamports: expect.any(Number) }] } });
  });

  it("rejects bytes that are not a transaction", async () => {
    for (const params of [["AAAA", base64], ["1111"], [], [7]])
      expect(await ask("sendTransaction", ...params)).toMatchObject({ error: { code: -32602 } });
  });

  it("hides the chain's internal methods", async () => {
    const set = await ask("surfnet_setAccount", wallet.address, { lamports: 1 });
    expect(set).toMatchObject({ error: { code: -32601 } });
    expect(await ask("getBlock", 40)).toMatchObject({ error: { code: -32601 } });
  });

  it("forwards the chain's errors", async () => {
    expect(await ask("getBalance", "not an address")).toMatchObject({ error: { code: -32602 } });
    expect(await ask("getTransaction", "1".repeat(64), {})).toMatchObject({ result: null });
  });

  it("sends test coins on request", async () => {
    const poor = await chain.newWallet(0n);
    await ask("requestAirdrop", poor.address, 5_000_000_000);
    expect(await ask("getBalance", poor.address)).toMatchObject({ result: { value: 5_000_000_000 } });
  });

  it("limits batches or rejects them, so that a client then sends smaller ones", async () => {
    const questions = Array.from({ length: 11 }, (_, id) => ({ id, method: "getSlot", params: [] }));
    const [answer, refused] = [{ result: expect.any(Number) }, { error: { code: -32600 } }];
    expect(await askRpc(host.url, questions.slice(1))).toMatchObject(Array(10).fill(answer));
    expect(await askRpc(host.url, questions)).toMatchObject(Array(11).fill(refused));
    host.faults = { noBatches: 1 };
    expect(await askRpc(host.url, questions.slice(0, 2))).toMatchObject([refused, refused]);
    const chainId = (await ask("getGenesisHash")).result as string;
    const slotCall: RpcCall<number> = { method: "getSlot", params: [], read: Number };
    const client = rpcHost({ url: host.url, identity: { id: chainId, call: genesisHashCall() } });
    const slots = await client.request([slotCall, slotCall, slotCall]);
    expect(slots.every((slot) => slot > 0)).toBe(true);
    expect(client.abilities().mostCalls).toBe(1);
    const other = rpcHost({ url: host.url, identity: { id: "another cluster", call: genesisHashCall() } });
    await expect(other.request([slotCall])).rejects.toMatchObject({ code: "WRONG_CHAIN" });
    host.faults = {};
  });
});
