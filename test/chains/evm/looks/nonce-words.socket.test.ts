import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../../../lib/chains/evm/calls/contract-questions.ts";
import { boughtOnEvm } from "../../../../lib/chains/evm/looks/bought.ts";
import { nonceWordsOf } from "../../../../lib/chains/evm/looks/nonce-words.ts";
import { deathOf, fillBlockOf, type SignedNonce } from "../../../../lib/chains/evm/rules/death.ts";
import { swapBy } from "../../../../lib/chains/evm/rules/intent.ts";
import { encodeCall } from "../../../../lib/chains/evm/venues/calldata.ts";
import type { Block } from "../../../../lib/orders/block.ts";
import { readerOf } from "../../../support/chain-reader.ts";
import { intent, localV2 } from "../../../support/trading.ts";

const wallet = alice.address;
const coin = 10n ** 18n;

let chain: TestChain;
let host: SecondHost;
beforeAll(async () => {
  chain = await startTestChain({ chain: "eth" });
  host = await startSecondHost({ chainUrl: chain.url });
});
afterAll(async () => {
  await host.close();
  await chain.close();
});
beforeEach(async () => {
  host.faults = {};
  host.lie = (_, reply) => reply;
  await chain.restore();
});

const quantity = async (method: string, ...params: unknown[]) => Number(await chain.request(method, params));
const nextNonce = () => quantity("eth_getTransactionCount", wallet, "latest");

/** Mines blocks of different times. */
const mine = (blocks = 1) => chain.request("anvil_mine", [`0x${blocks.toString(16)}`, "0xc"]);

async function timeOf(block: string): Promise<number> {
  const found = await chain.request("eth_getBlockByNumber", [block, false]);
  return Number((found as { timestamp: string }).timestamp);
}

const timeNow = () => timeOf("latest");

function buying(minAmountOut = 1n) {
  const terms = { wallet, token: localAddresses.moon, amount: coin, minAmountOut, validUntil: 2 ** 32 - 1 };
  return swapBy(intent({ ...terms, side: "buy" }), localV2, coin);
}

/** Buys MOON, and returns the hash. */
async function swap(minAmountOut = 1n): Promise<string> {
  const call = buying(minAmountOut);
  const sent = await chain.transact({
    from: wallet,
    ...encodeCall(readerOf(chain).configuration, call, wallet),
  });
  return sent.transactionHash;
}

const clear = async () => (await chain.transact({ from: wallet, to: wallet })).transactionHash;

const wordsAbout = (signed: SignedNonce | undefined, hosts = [chain.url, host.url]) =>
  nonceWordsOf(readerOf(chain, { hosts }), { wallet, fillId: "P", signed });

const deathNow = async (signed: SignedNonce) => deathOf("eth", signed, await wordsAbout(signed));

/** Returns a swap that is signed at the wallet's next nonce, and that nobody has sent. */
async function unsent(): Promise<SignedNonce> {
  return { nonce: await nextNonce(), deadline: await timeNow(), swaps: [`0x${"5".repeat(64)}`], clears: [] };
}

describe("nonceWordsOf", () => {
  it("proves by two further blocks that a swap has failed", async () => {
    const signed = { ...(await unsent()), swaps: [await swap(10n ** 30n)] };
    await mine();
    expect(await deathNow(signed)).toBeUndefined();
    await mine();
    expect(await deathNow(signed)).toMatchObject({ how: "failed" });
    host.faults = { blocksBehind: 1 };
    expect(await deathNow(signed)).toBeUndefined();
  });

  it("proves that a clear has taken the nonce", async () => {
    const signed = { ...(await unsent()), clears: [await clear()] };
    await mine(2);
    expect(await deathNow(signed)).toMatchObject({ how: "cleared" });
  });

  it("finds the block of a fill, and proves no death", async () => {
    const filled = { ...(await unsent()), swaps: [await swap()] };
    await mine(2);
    const words = await wordsAbout(filled);
    expect(fillBlockOf(filled, words)?.number).toBe((await quantity("eth_blockNumber")) - 2);
    expect(deathOf("eth", filled, words)).toBeUndefined();
  });

  it("proves by the state in a block past the deadline that a nonce is unused", async () => {
    const signed = await unsent();
    await mine(2);
    expect(await deathNow(signed)).toBeUndefined();
    await mine();
    expect(await deathNow(signed)).toMatchObject({ how: "unused" });
    expect(await deathNow({ ...signed, deadline: await timeNow() })).toBeUndefined();
  });

  it.each([0, 1, 5, 30, 100])(
    "names another program's transaction %i blocks below a lasting block",
    async (below) => {
      const signed = await unsent();
      const hash = await clear();
      const number = await quantity("eth_blockNumber");
      await mine(below);
      await clear();
      await mine(below === 0 ? 1 : 2);
      let asked = 0;
      host.lie = ({ method }, reply) => {
        if (method === "eth_getTransactionCount") asked++;
        return reply;
      };
      const words = await wordsAbout(signed);
      expect(words[1]?.taken).toMatchObject({ hash, block: { number } });
      expect(deathOf("eth", signed, words)).toMatchObject({ how: "foreign", block: { number } });
      expect(asked).toBeLessThanOrEqual(6 + 2 * 7);
      // A host without the receipt of our own swap finds the swap itself.
      expect(deathOf("eth", { ...signed, swaps: [hash] }, words)).toBeUndefined();
    },
  );

  it("proves nothing about blocks that are replaced", async () => {
    const snapshot = await chain.request("evm_snapshot");
    const signed = { ...(await unsent()), swaps: [await swap(10n ** 30n)] };
    await mine(2);
    const before = await deathNow(signed);
    await chain.request("evm_revert", [snapshot]);
    await chain.request("anvil_setCoinbase", [deployer]);
    await mine(2);
    expect(before).toMatchObject({ how: "failed" });
    expect(await deathNow(signed)).toBeUndefined();
    await mine();
    expect(await deathNow(signed)).toMatchObject({ how: "unused" });
  });

  it("proves nothing from receipts that are behind a host's head", async () => {
    const signed = { ...(await unsent()), swaps: [await swap()] };
    await mine(5);
    host.lie = ({ method }, reply) => (method === "eth_getTransactionReceipt" ? { result: null } : reply);
    const [a, b] = await wordsAbout(signed);
    expect(deathOf("eth", signed, [a, b])).toBeUndefined();
    expect(deathOf("eth", signed, [b, b])).toBeUndefined();
  });

  it.each<[string, (method: string, params: readonly unknown[]) => object | undefined]>([
    [
      "does not know the block by its hash",
      (method, [, at]) =>
        method === "eth_getTransactionCount" && typeof at === "object"
          ? { error: { code: -32000, message: "hash is not currently canonical" } }
          : undefined,
    ],
    ["is silent", () => ({ error: { code: -32603, message: "busy" } })],
    [
      "names another block at a height",
      (method, [at]) => {
        const block = { number: "0x1", hash: `0x${"7".repeat(64)}`, timestamp: "0x1" };
        return method === "eth_getBlockByNumber" && String(at).startsWith("0x")
          ? { result: block }
          : undefined;
      },
    ],
  ])("proves nothing while a host %s", async (_, lie) => {
    const signed = await unsent();
    await mine(4);
    host.lie = ({ method, params }, reply) => ({ ...(lie(method, params) ?? reply) }) as typeof reply;
    expect(await deathNow(signed)).toBeUndefined();
  });

  describe("the blocks up to a swap's deadline, none of which has it", () => {
    /** Uses the wallet's nonce, and mines so many blocks that a host has pruned the state before. */
    async function usedLongAgo(): Promise<SignedNonce & { hash: string; usedAt: number }> {
      const signed = await unsent();
      const hash = await clear();
      const usedAt = await timeNow();
      await mine(40);
      host.faults = { keptStates: 8 };
      return { ...signed, deadline: usedAt + 120, hash, usedAt };
    }

    it("prove its death if a host no longer has the states around the nonce's use", async () => {
      const { hash, usedAt: _, ...signed } = await usedLongAgo();
      const words = await wordsAbout(signed);
      expect(words.map((word) => word?.taken?.hash)).toEqual([hash, undefined]);
      const missed = words[1]?.missed as Block;
      expect(missed.time).toBeGreaterThan(signed.deadline);
      const before = await timeOf(`0x${(missed.number - 1).toString(16)}`);
      expect(before).toBeLessThanOrEqual(signed.deadline);
      expect(deathOf("eth", signed, words)).toMatchObject({ how: "unused", block: { hash: missed.hash } });
    });

    it("prove nothing if one of them has it, whatever receipts are missing", async () => {
      const { hash, usedAt, ...signed } = await usedLongAgo();
      host.lie = ({ method }, reply) => (method === "eth_getTransactionReceipt" ? { result: null } : reply);
      const missedWith = async (deadline: number) =>
        (await wordsAbout({ ...signed, deadline, swaps: [hash] }, [host.url, host.url]))[1]?.missed;
      expect(await missedWith(usedAt)).toBeUndefined();
      expect(await missedWith(usedAt + 40)).toBeUndefined();
      // A block past the deadline may have it, because it fails there.
      expect(await missedWith(usedAt - 1)).toMatchObject({ time: usedAt });
    });

    it("prove its death if a delegation has used the nonce, without a transaction of the wallet", async () => {
      const signed = await unsent();
      await mine(2);
      await chain.request("anvil_setNonce", [wallet, `0x${(signed.nonce + 1).toString(16)}`]);
      await mine(3);
      const words = await wordsAbout(signed);
      expect(words.map((word) => [word?.state?.nonce, word?.taken])).toEqual([
        [signed.nonce + 1, undefined],
        [signed.nonce + 1, undefined],
      ]);
      expect(deathOf("eth", signed, words)).toMatchObject({ how: "unused" });
      expect(deathOf("eth", { ...signed, deadline: await timeNow() }, words)).toBeUndefined();
    });

    it("prove nothing if a host shows another chain", async () => {
      const { hash: _, usedAt: __, ...signed } = await usedLongAgo();
      host.lie = ({ method, params: [, isWhole] }, reply) => {
        if (method !== "eth_getBlockByNumber" || isWhole !== false || !("result" in reply)) return reply;
        const block = reply.result as { number: string };
        return Number(block.number) % 2 ? reply : { result: { ...block, parentHash: `0x${"7".repeat(64)}` } };
      };
      expect(await deathNow(signed)).toBeUndefined();
    });
  });

  it("asks only for the newest blocks if nothing is signed", async () => {
    const [a, b] = await wordsAbout(undefined);
    expect(a).toEqual(b);
    expect(a?.head).toMatchObject({ number: await quantity("eth_blockNumber"), time: await timeNow() });
  });
});

describe("boughtOnEvm", () => {
  const boughtBy = (hash: string, buyer = wallet) =>
    boughtOnEvm(readerOf(chain, { hosts: [chain.url, host.url] }), buyer, {
      nonce: 0,
      deadline: 0,
      swaps: [`0x${"5".repeat(64)}`, hash],
      clears: [],
      call: buying(),
    });
  const held = async () =>
    BigInt(await chain.call(localAddresses.moon, balanceOf(localAddresses.moon, wallet).data));

  type Receipt = { blockHash: string; logs: { data: string }[] };

  /** Changes the receipts of the second host. */
  function lying(change: (receipt: Receipt) => unknown): void {
    host.lie = ({ method }, reply) =>
      method === "eth_getTransactionReceipt" && "result" in reply && reply.result !== null
        ? { result: change(reply.result as Receipt) }
        : reply;
  }

  /** Halves all amounts of a receipt's events. */
  const halved = ({ logs, ...receipt }: Receipt): Receipt => {
    const half = (hex: string) => (BigInt(`0x${hex}`) / 2n).toString(16).padStart(64, "0");
    const changed = logs.map((log) => ({ ...log, data: `0x${log.data.slice(2).replace(/.{64}/g, half)}` }));
    return { ...receipt, logs: changed };
  };

  it("reads from the receipts of both hosts what a buy has brought", async () => {
    const before = await held();
    const hash = await swap();
    const received = (await held()) - before;
    const bought = { spent: coin, received, block: expect.stringMatching(/^0x/) };
    expect(await boughtBy(hash)).toEqual(bought);
    await mine(9);
    host.faults = { keptStates: 2 };
    expect(await boughtBy(hash)).toEqual(bought);
  });

  it.each<[string, (receipt: Receipt) => unknown]>([
    ["other amounts", halved],
    ["another block", (receipt) => ({ ...receipt, blockHash: `0x${"7".repeat(64)}` })],
    ["a failure", (receipt) => ({ ...receipt, status: "0x0" })],
    ["nothing", () => null],
  ])("waits while one host shows %s", async (_, lie) => {
    const hash = await swap();
    lying(lie);
    expect(await boughtBy(hash)).toBeUndefined();
    host.lie = (_question, reply) => reply;
    expect(await boughtBy(hash)).toBeDefined();
  });

  it("accepts neither a failed buy nor a buy of another wallet", async () => {
    expect(await boughtBy(await swap(10n ** 30n))).toBeUndefined();
    expect(await boughtBy(await swap(), deployer)).toBeUndefined();
  });
});
