import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SolHost, startSolHost } from "../../../../../lib/tools/dev/chains/sol/sol-host.ts";
import type { RpcCall } from "../../../../../lib/trading/chains/rpc-call.ts";
import { rpcHost } from "../../../../../lib/trading/chains/rpc-host.ts";
import { programs } from "../../../../../lib/trading/chains/sol/addresses.ts";
import { genesisHashCall } from "../../../../../lib/trading/chains/sol/sol-call.ts";
import {
  signedWire,
  startTestSurfnet,
  type TestSurfnet,
  type TestWallet,
} from "../../../../support/surfnet.ts";

let chain: TestSurfnet;
let host: SolHost;
let wallet: TestWallet;
beforeAll(async () => {
  chain = await startTestSurfnet();
  host = await startSolHost(chain);
  wallet = await chain.newWallet();
});
afterAll(async () => {
  await host.close();
  await chain.stop();
});

async function post(body: unknown) {
  const response = await fetch(host.url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { result?: unknown; error?: unknown };
}

const ask = (method: string, ...params: unknown[]) => post({ jsonrpc: "2.0", id: 1, method, params });

const latest = async () => {
  const { result } = await ask("getLatestBlockhash");
  return (result as { value: { blockhash: string } }).value.blockhash;
};

const units = 100_000;
const price = 1_500_001n;
/** The base fee, and ⌈100,000 × 1.500001⌉ lamports. */
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

const base64 = { encoding: "base64" } as const;

describe("a host of the local Solana chain", () => {
  it("shows the whole fee, and the time", async () => {
    const before = (await ask("getBalance", wallet.address)).result as { value: number };
    const { wire, message, signature } = signedWire(wallet, budget(), await latest());
    expect(await ask("getFeeForMessage", message)).toMatchObject({ result: { value: fee } });
    await ask("sendTransaction", wire, { ...base64, skipPreflight: true });
    expect(await chain.inBlock(signature)).toBeDefined();
    const { result } = await ask("getTransaction", signature, { maxSupportedTransactionVersion: 0 });
    expect(result).toMatchObject({ meta: { fee, err: null } });
    const after = (await ask("getBalance", wallet.address)).result as { value: number };
    expect(before.value - after.value).toBe(fee);
    const { blockTime } = result as { blockTime: number };
    expect(Math.abs(blockTime - Date.now() / 1000)).toBeLessThan(60);
  });

  it("refuses a blockhash that it has not issued", async () => {
    const foreign = await chain.latestBlockhash();
    const other = await startSolHost(chain);
    try {
      const { wire } = signedWire(wallet, budget(), foreign);
      const askOther = (method: string, params: unknown[]) =>
        fetch(other.url, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        }).then((response) => response.json());
      expect(await askOther("sendTransaction", [wire, base64])).toMatchObject({ error: { code: -32002 } });
      expect(await askOther("isBlockhashValid", [foreign])).toMatchObject({ result: { value: false } });
    } finally {
      await other.close();
    }
    expect(await ask("isBlockhashValid", await latest())).toMatchObject({ result: { value: true } });
  });

  it("refuses bytes that are no transaction", async () => {
    for (const params of [["AAAA", base64], ["1111"], [], [7]])
      expect(await ask("sendTransaction", ...params)).toMatchObject({ error: { code: -32602 } });
  });

  it("hides the chain's own methods", async () => {
    const set = await ask("surfnet_setAccount", wallet.address, { lamports: 1 });
    expect(set).toMatchObject({ error: { code: -32601 } });
  });

  it("passes on the chain's refusals", async () => {
    expect(await ask("getBalance", "not an address")).toMatchObject({ error: { code: -32602 } });
    expect(await ask("getTransaction", "1".repeat(64), {})).toMatchObject({ result: null });
  });

  it("gives coins on request", async () => {
    const poor = await chain.newWallet(0n);
    await ask("requestAirdrop", poor.address, 5_000_000_000);
    expect(await ask("getBalance", poor.address)).toMatchObject({ result: { value: 5_000_000_000 } });
  });

  it("takes no batches, and a client that learns so asks one by one", async () => {
    const questions = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "getSlot", params: [] }));
    expect(await post(questions)).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }]);
    const chainId = (await ask("getGenesisHash")).result as string;
    const slotCall: RpcCall<number> = { method: "getSlot", params: [], read: Number };
    const client = rpcHost({ url: host.url, chainId, chainCall: genesisHashCall() });
    const slots = await client.request([slotCall, slotCall, slotCall]);
    expect(slots.every((slot) => slot > 0)).toBe(true);
    expect(client.abilities().mostCalls).toBe(1);
    const other = rpcHost({ url: host.url, chainId: "another cluster", chainCall: genesisHashCall() });
    await expect(other.request([slotCall])).rejects.toMatchObject({ reason: "WRONG_CHAIN" });
  });
});
