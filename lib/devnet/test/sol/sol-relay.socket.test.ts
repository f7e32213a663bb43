import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { programs } from "../../sol/published.ts";
import { createSolNode } from "../../sol/sol-node.ts";
import { type LocalSolRelay, leastTip, startSolRelay } from "../../sol/sol-relay.ts";
import { slotMs, startTestSurfnet, type TestSurfnet } from "../../sol/test-surfnet.ts";
import { signedWire, type TestWallet } from "../../sol/test-wallet.ts";

function transferLamports(from: Address, to: Address, lamports: bigint): IInstruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  return {
    programAddress: programs.system,
    data,
    accounts: [
      { address: from, role: AccountRole.WRITABLE_SIGNER },
      { address: to, role: AccountRole.WRITABLE },
    ],
  };
}

describe("the relay of the local Solana chain", () => {
  let chain: TestSurfnet;
  let relay: LocalSolRelay;
  let wallet: TestWallet;
  let blockhash: string;

  beforeAll(async () => {
    chain = await startTestSurfnet();
    const node = createSolNode(chain);
    const { tipAccounts } = chain.deployment;
    relay = await startSolRelay({ node, tipAccounts, slotMs, canBeSet: true });
    wallet = await chain.newWallet();
    const { result } = (await node.replyTo({ id: 1, method: "getLatestBlockhash", params: [] })) as {
      result: { value: { blockhash: string } };
    };
    blockhash = result.value.blockhash;
  });
  beforeEach(() => {
    relay.faults = {};
  });
  afterAll(async () => {
    await relay.close();
    await chain.stop();
  });

  let count = 0n;

  /**
   * Signs a transaction with this tip. Each transaction transfers a different amount, and so has a different signature.
   */
  function tipping(lamports: bigint, to = chain.deployment.tipAccounts[0]) {
    const payment = transferLamports(wallet.address, wallet.address, ++count);
    const tip = transferLamports(wallet.address, to ?? wallet.address, lamports);
    return signedWire(wallet, [payment, tip], blockhash);
  }

  async function send(wire: string, { url = relay.url, encoding = "base64", timeoutMs = 10_000 } = {}) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "sendTransaction",
        params: [wire, { encoding }],
      }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, ...((await response.json()) as object) };
  }

  /** Milliseconds within which a transaction gets into a block after it has been sent. */
  const aWhileMs = 10 * slotMs;

  it("sends a transaction with a tip to the chain", async () => {
    const { wire, signature } = tipping(leastTip.lamports);
    expect(await send(wire)).toMatchObject({ result: signature });
    expect(await chain.inBlock(signature)).toMatchObject({ meta: { err: null } });
  });

  it("rejects malformed transactions and those without a tip", async () => {
    const [none, small] = [tipping(leastTip.lamports, wallet.address), tipping(leastTip.lamports - 1n)];
    for (const { wire, signature } of [none, small]) {
      expect(await send(wire)).toMatchObject({
        error: { code: -32602, message: expect.stringContaining("1000 lamports") },
      });
      expect(await chain.inBlock(signature, aWhileMs)).toBeUndefined();
    }
    const { wire } = tipping(leastTip.lamports);
    expect(await send(wire, { encoding: "base58" })).toMatchObject({ error: { code: -32602 } });
    expect(await send("AAAA")).toMatchObject({ error: { code: -32602 } });
    expect(await send(wire, { url: new URL("/", relay.url).href })).toMatchObject({ status: 404 });
  });

  it("accepts a transaction with an unknown blockhash, which never gets into a block", async () => {
    const tip = transferLamports(wallet.address, chain.deployment.tipAccounts[1] as never, leastTip.lamports);
    const { wire, signature } = signedWire(wallet, [tip], wallet.address);
    expect(await send(wire)).toMatchObject({ result: signature });
    expect(await chain.inBlock(signature, aWhileMs)).toBeUndefined();
  });

  it("delays a transaction by the configured number of slots", async () => {
    relay.faults = { delaySlots: 10 };
    const { wire, signature } = tipping(leastTip.lamports);
    expect(await send(wire)).toMatchObject({ result: signature });
    expect(await chain.inBlock(signature, 5 * slotMs)).toBeUndefined();
    expect(await chain.inBlock(signature)).toBeDefined();
  });

  it.each([
    ["lost", true, false],
    ["silent", false, true],
    ["stalled", false, false],
  ] as const)("applies the fault %s (answers: %s, sends: %s)", async (fault, answers, sends) => {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ [fault]: 1 });
    const url = new URL("/_local/faults", relay.url);
    expect((await fetch(url, { method: "PUT", headers, body })).ok).toBe(true);
    const { wire, signature } = tipping(leastTip.lamports);
    const answer = send(wire, { timeoutMs: answers ? 10_000 : 200 });
    if (answers) expect(await answer).toMatchObject({ result: signature });
    else await expect(answer).rejects.toThrow();
    const sent = await chain.inBlock(signature, sends ? undefined : aWhileMs);
    expect(sent !== undefined).toBe(sends);
  });

  it("refuses transactions with the fault `refused`", async () => {
    relay.faults = { refused: 1 };
    expect(await send(tipping(leastTip.lamports).wire)).toMatchObject({ error: { code: -32000 } });
  });
});
