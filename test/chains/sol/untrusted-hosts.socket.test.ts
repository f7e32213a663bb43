import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { describe, expect, it, vi } from "vitest";
import { behind, sol, solOrdersForTests } from "./support/sol-orders.ts";

const { chain, hosts, intentOf, ask, sign, carryOut } = solOrdersForTests();

describe("untrusted hosts of Solana", () => {
  it("prevents a host from passing off another transaction as the wallet's", async () => {
    const own = await carryOut(intentOf("MOON"));
    const other = await sign(intentOf("MOON", { amount: 2n * sol }));
    for (const host of hosts)
      host.lie = (method, result, [id]) => {
        if (method === "getSignatureStatuses")
          return { context: { slot: 1 }, value: [{ slot: 40, confirmationStatus: "finalized" }] };
        return method === "getTransaction" && id === other.id
          ? { ...landed, meta: { ...landed.meta, err: "failed" }, transaction: [other.raw, "base64"] }
          : result;
      };
    const landed = (await chain.request("getTransaction", [
      own.receipt.hash,
      { encoding: "base64", commitment: "confirmed", maxSupportedTransactionVersion: 0 },
    ])) as { meta: object };
    const [shown] = await ask({ hashes: [other.id] });
    expect(shown.receipts.get(other.id)).toMatchObject({ hash: other.id });
    for (const host of hosts) {
      const { lie } = host;
      host.lie = (method, ...rest) => (method === "getTransaction" ? landed : lie(method, ...rest));
    }
    expect((await ask({ hashes: [other.id] }))[0].receipts).toEqual(new Map());
  });

  it("sends no message if only one host knows the blockhash, or one is silent", async () => {
    hosts[1].lie = (method, result) =>
      method === "isBlockhashValid" ? { context: { slot: 1 }, value: false } : result;
    hosts[0].lie = behind;
    const [a, b] = await ask({ wantsBlockhash: true });
    expect([a.blockhash, b.blockhash]).toEqual([undefined, undefined]);
    hosts[1].lie = () => "nonsense";
    expect(await ask({ wantsBlockhash: true })).toEqual([
      expect.not.objectContaining({ blockhash: expect.anything() }),
      undefined,
    ]);
  });

  it("computes a blockhash's remaining life from each host's own height", async () => {
    hosts[0].lie = behind;
    hosts[1].lie = (method, result, [options]) =>
      method === "getEpochInfo" && (options as { minContextSlot?: number }).minContextSlot !== undefined
        ? { ...(result as object), blockHeight: 1_000_000 }
        : result;
    // A host may not know the other's blockhash at the start of a slot.
    const [a, b] = await vi.waitFor(async () => {
      const both = await ask({ wantsBlockhash: true });
      expect(both[1].blockhash).toBeDefined();
      return both;
    });
    expect(b.blockhash).toEqual({ hash: a.blockhash?.hash, lastValidBlockHeight: 1_000_150 });
    expect(a.blockhash?.lastValidBlockHeight).toBeLessThan(1_000_000);
  });

  it("treats a host as silent if it answers null for the chain's time, or refuses the slot", async () => {
    hosts[0].lie = (method, result) => (method === "getEpochInfo" ? null : result);
    expect((await ask({}))[0]).toBeUndefined();
    hosts[0].lie = (method, result, params) => {
      const [, options] = params as [unknown, { minContextSlot?: number }?];
      if (method === "getMultipleAccounts" && options?.minContextSlot !== undefined)
        throw new ChainRefusal(method, {
          code: -32016,
          message: "Minimum context slot has not been reached",
        });
      return result;
    };
    const { orderId } = intentOf("MOON");
    expect((await ask({ marked: [orderId] }))[0]).toBeUndefined();
  });

  it("treats a host as silent if its markers are from an earlier slot than its height", async () => {
    hosts[0].lie = (method, result, params) => {
      const [, options] = params as [unknown, { minContextSlot?: number }?];
      if (method !== "getMultipleAccounts" || options?.minContextSlot === undefined) return result;
      return { ...(result as object), context: { slot: options.minContextSlot - 1 } };
    };
    const { orderId } = intentOf("MOON");
    const [cached, other] = await ask({ marked: [orderId] });
    expect(cached).toBeUndefined();
    expect(other.markers).toEqual(new Map([[orderId, false]]));
  });

  it("treats a host as silent if its answer about a missing token is from a slot before its height", async () => {
    hosts[0].lie = (method, result, params) => {
      const [, options] = params as [unknown, { minContextSlot?: number }?];
      if (method !== "getMultipleAccounts" || options?.minContextSlot === undefined) return result;
      return { ...(result as object), context: { slot: options.minContextSlot - 1 } };
    };
    const { mint } = chain.deployment.tokens.MOON;
    const [cached, other] = await ask({ missed: [mint] });
    expect(cached).toBeUndefined();
    expect(other.held).toEqual(new Map([[mint, 0n]]));
  });

  it("sends no message if the height comes from an earlier slot than the blockhash", async () => {
    hosts[0].lie = behind;
    hosts[1].lie = (method, result, [options]) => {
      const { minContextSlot } = (options ?? {}) as { minContextSlot?: number };
      return method === "getEpochInfo" && minContextSlot !== undefined
        ? { ...(result as object), absoluteSlot: minContextSlot - 1 }
        : result;
    };
    const [a, b] = await ask({ wantsBlockhash: true });
    expect([a.blockhash, b.blockhash]).toEqual([undefined, undefined]);
  });

  it("hides transactions that the hosts have pruned", async () => {
    const { receipt } = await carryOut(intentOf("MOON"));
    hosts[0].lie = (method, result) => (method === "getTransaction" ? null : result);
    hosts[1].lie = (method, result) =>
      method === "getSignatureStatuses" ? { context: { slot: 1 }, value: [null] } : result;
    const both = await ask({ hashes: [receipt.hash] });
    expect(both.map(({ receipts }) => receipts.size)).toEqual([0, 0]);
  });
});
