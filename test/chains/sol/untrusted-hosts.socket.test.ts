import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { describe, expect, it, vi } from "vitest";
import { markerOf } from "../../../lib/chains/sol/calls/addresses.ts";
import { boughtOnSol } from "../../../lib/chains/sol/looks/bought.ts";
import { messageWordsOf } from "../../../lib/chains/sol/looks/message-words.ts";
import type { SignedMessages } from "../../../lib/chains/sol/rules/child-sight.ts";
import { planSwap } from "../../../lib/chains/sol/rules/planning.ts";
import { markerBytes } from "../../../lib/chains/sol/venues/instructions.ts";
import { naming, olderBlockhash, solReaderOf } from "../../support/sol-reader.ts";
import { limits, orderOf, viewOf } from "./fixtures.ts";
import { rents, sol, solOrdersForTests } from "./support/sol-orders.ts";

const { chain, hosts, desk, intentOf, ask, sign, carryOut } = solOrdersForTests();

/** A slot and a height that the chain does not reach. */
const far = 1_000_000;

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
      { encoding: "base64", commitment: "finalized", maxSupportedTransactionVersion: 0 },
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
    hosts[0].lie = naming(await olderBlockhash(chain, hosts[0]));
    const [a, b] = await ask({ wantsBlockhash: true });
    expect([a.blockhash, b.blockhash]).toEqual([undefined, undefined]);
    hosts[1].lie = () => "nonsense";
    expect(await ask({ wantsBlockhash: true })).toEqual([
      expect.not.objectContaining({ blockhash: expect.anything() }),
      undefined,
    ]);
  });

  it("takes no blockhash that one host has invented, as the older or the newer one", async () => {
    const hash = desk.wallet.address;
    for (const lastValidBlockHeight of [1, far]) {
      hosts[0].lie = naming({ hash, lastValidBlockHeight });
      const both = await ask({ wantsBlockhash: true });
      expect(both.filter(({ blockhash }) => blockhash?.hash === hash)).toEqual([]);
    }
  });

  it("computes a blockhash's remaining life from each host's own height", async () => {
    const old = await olderBlockhash(chain, hosts[0]);
    hosts[0].lie = naming(old);
    hosts[1].lie = (method, result) => {
      if (method === "getEpochInfo") return { ...(result as object), absoluteSlot: far, blockHeight: far };
      // The height is from an earlier slot than the answer about the blockhash.
      return method === "isBlockhashValid" ? { ...(result as object), context: { slot: far + 7 } } : result;
    };
    const [a, b] = await ask({ wantsBlockhash: true });
    expect(a.blockhash).toEqual(old);
    expect(b.blockhash).toEqual({ hash: old.hash, lastValidBlockHeight: far + 7 + 150 });
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

  it.each([
    ["does not know the level finalized", { code: -32602, message: "Invalid params: unknown commitment" }],
    ["is unhealthy", { code: -32005, message: "Node is unhealthy" }],
    ["does not have the block yet", { code: -32004, message: "Block not available for slot 7" }],
    ["shows no status yet", { code: -32014, message: "Block status not yet available for slot 7" }],
  ])("treats a host that %s as silent, and trusts the other", async (_, refusal) => {
    hosts[0].lie = (method, result) => {
      if (method === "getGenesisHash") return result;
      throw new ChainRefusal(method, refusal);
    };
    const [silent, other] = await ask({ wantsBlockhash: true });
    expect([silent, other?.blockhash]).toEqual([undefined, undefined]);
    expect(other?.coins).toBe(10n * sol);
  });

  it("takes the greater of two hosts' rents, and waits while one is too high", async () => {
    const order = orderOf({}, { ...intentOf("MOON"), validUntil: Math.floor(Date.now() / 1000) + 60 });
    const planned = async (rent: number) => {
      hosts[0].lie = (method, result, [bytes]) =>
        method === "getMinimumBalanceForRentExemption" && bytes === markerBytes ? rent : result;
      const snapshots = await vi.waitFor(async () => {
        const both = await ask({ orders: [order.intent], wantsBlockhash: true });
        expect(both[1].blockhash).toBeDefined();
        return both;
      });
      const view = viewOf({ orders: [order] });
      return planSwap(order, undefined, { view, snapshots, nowMs: Date.now(), limits });
    };
    expect(await planned(897_840)).toMatchObject({ message: { markerRentLamports: 897_840n } });
    expect(await planned(897_841)).toEqual({ wait: "CHAIN_UNAVAILABLE" });
    expect(await planned(89_000)).toMatchObject({ message: { markerRentLamports: rents.marker } });
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

describe("hosts' answers about the messages of a resting order", () => {
  const wordsAbout = async (parentId: string, signed?: Partial<SignedMessages>) =>
    messageWordsOf(await solReaderOf(chain, hosts), {
      wallet: desk.wallet.address,
      fillId: parentId,
      signed: signed && { own: [], siblings: [], clears: [], ...signed },
    });
  const own = (...ids: string[]) => ({ own: ids.map((signature) => ({ signature, lastHeight: far })) });

  it("tell which message has made the marker, and which has failed", async () => {
    const intent = intentOf("MOON");
    const [first, second, third] = [
      await sign(intent),
      await sign(intent, { microLamportsPerUnit: 1n }),
      await sign(intent, { microLamportsPerUnit: 2n }),
    ];
    for (const { raw, id } of [first, second]) await chain.send(raw, id);
    const words = await vi.waitFor(async () => {
      const found = await wordsAbout(intent.orderId, { ...own(second.id, third.id), siblings: [first.id] });
      expect(found.map((word) => word?.receipts.size)).toEqual([2, 2]);
      return found;
    }, 10_000);
    for (const word of words) {
      const { finalHeight: height = 0, time = 0 } = word ?? {};
      expect(word).toMatchObject({ isMarked: true });
      expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(3600);
      expect(word?.receipts).toEqual(
        new Map([
          [second.id, { height, status: "failed" }],
          [first.id, { height, status: "ok" }],
        ]),
      );
    }
    hosts[0].lie = (method, result) =>
      method === "getSignatureStatuses" ? { context: { slot: 1 }, value: [null, null, null] } : result;
    const [late] = await wordsAbout(intent.orderId, { ...own(second.id, third.id), siblings: [first.id] });
    expect(late).toMatchObject({ isMarked: true, receipts: new Map() });
  });

  it("show no marker for lamports that anybody has sent", async () => {
    const { orderId } = intentOf("MOON");
    await chain.setAccount(await markerOf(desk.wallet.address, orderId), 890_880n);
    const words = await wordsAbout(orderId);
    expect(words).toEqual([expect.objectContaining({ isMarked: false, receipts: new Map() }), words[0]]);
  });

  it.each<[string, (method: string, result: unknown, params: readonly unknown[]) => unknown]>([
    ["is silent", () => "nonsense"],
    [
      "shows the marker at a slot before its height",
      (method, result) =>
        method === "getMultipleAccounts" ? { ...(result as object), context: { slot: 1 } } : result,
    ],
    [
      "shows no clock",
      (method, result) =>
        method === "getMultipleAccounts" ? { ...(result as object), value: [null, null] } : result,
    ],
  ])("are absent while a host %s", async (_, lie) => {
    hosts[0].lie = lie;
    const [a, b] = await wordsAbout(intentOf("MOON").orderId, own());
    expect([a, b?.isMarked]).toEqual([undefined, false]);
  });
});

describe("hosts' answers about what a buy has brought", () => {
  type Landed = { meta: { postTokenBalances: { uiTokenAmount: { amount: string } }[] } } | null;

  it("count only if both have the same receipt, of a transaction of the wallet", async () => {
    const { receipt } = await carryOut(intentOf("MOON"));
    const boughtBy = async (wallet: string) =>
      boughtOnSol(await solReaderOf(chain, hosts), wallet, {
        own: [{ signature: receipt.hash, lastHeight: far }],
        siblings: [],
        clears: [],
      });
    const { spent, received } = receipt as Extract<typeof receipt, { status: "ok" }>;
    const bought = { spent, received };
    expect(await boughtBy(desk.wallet.address)).toEqual(bought);
    expect(await boughtBy(chain.deployment.payer)).toBeUndefined();
    const lies: readonly ((landed: Landed) => unknown)[] = [
      () => null,
      (landed) => {
        const changed = structuredClone(landed);
        for (const { uiTokenAmount } of changed?.meta.postTokenBalances ?? []) uiTokenAmount.amount += "0";
        return changed;
      },
    ];
    for (const lie of lies) {
      hosts[1].lie = (method, result) => (method === "getTransaction" ? lie(result as Landed) : result);
      expect(await boughtBy(desk.wallet.address)).toBeUndefined();
    }
  });
});
