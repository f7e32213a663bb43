import { randomUUID } from "node:crypto";
import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { startSolRelay } from "trading-terminal-devnet/sol/sol-relay";
import { slotMs, type TestSurfnet, tokenAccountBytes } from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { markerOf, tokenAccountOf, wsolAccountOf } from "../../../lib/chains/sol/calls/addresses.ts";
import { agreeOnSlot } from "../../../lib/chains/sol/calls/hosts.ts";
import { solEffects } from "../../../lib/chains/sol/look.ts";
import { composeFor } from "../../../lib/chains/sol/messages/order-message.ts";
import { joinTransaction, signMessageAndWipe } from "../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt, SolSnapshot } from "../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../lib/chains/sol/rules/message.ts";
import { orderIdFor } from "../../../lib/core/record-ids.ts";
import type { Question } from "../../../lib/orders/effects.ts";
import { lookEffects } from "../../../lib/trading/execution/look-effects.ts";
import { solChainsOf, solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";

const { chain, hosts } = solDeskForTests();
let wallet: TestWallet;

const sol = 10n ** 9n;
const rents = { marker: 897_840n, wsol: 2_039_280n };

beforeEach(async () => {
  wallet = await chain.newWallet(10n * sol);
});

const effects = async () => solEffects(await solReaderOf(chain, hosts));

type Token = keyof TestSurfnet["deployment"]["tokens"];

function intentOf(name: Token, changes: Partial<SolIntent> = {}): SolIntent {
  const { mint, program, pool, config } = chain.deployment.tokens[name];
  return {
    chain: "sol",
    wallet: wallet.address,
    orderId: orderIdFor(randomUUID(), "", new Date()),
    userID: "u",
    side: "buy",
    token: mint,
    tokenProgram: program,
    amount: sol,
    minAmountOut: 1n,
    quotedOut: 1n,
    isPrivate: false,
    validUntil: 2 ** 32 - 1,
    routes: [{ venue: "raydium-cpmm", pool, config }],
    budgetLamports: 1_000_000n,
    ...changes,
  };
}

async function ask(changes: Partial<Question<Sol>>): Promise<[SolSnapshot, SolSnapshot]> {
  const question = {
    chain: "sol",
    wallet: wallet.address,
    hashes: [],
    orders: [],
    marked: [],
    wantsBlockhash: false,
    ...changes,
  };
  const both = await Promise.all((await effects()).snapshots(question as Question<Sol>));
  return both as [SolSnapshot, SolSnapshot];
}

const feesOf = (units: number) => ({
  signatures: 1,
  computeUnitLimit: units,
  microLamportsPerUnit: 1_000_000n,
});

async function sign(intent: SolIntent, message: Partial<SolMessage> = {}) {
  // On a busy machine, two hosts may not know the same blockhash at once.
  const { hash, lastValidBlockHeight } = await vi.waitUntil(
    async () => (await ask({ wantsBlockhash: true }))[0].blockhash,
  );
  const common = {
    ...feesOf(200_000),
    blockhash: hash,
    lastValidBlockHeight,
    markerRentLamports: rents.marker,
  };
  const [route] = intent.routes;
  const swap = { purpose: "swap", amountIn: intent.amount, wsolRentLamports: rents.wsol, route };
  const composed = await composeFor(intent, { ...common, ...swap, ...message } as SolMessage);
  if (!("message" in composed)) throw new Error(JSON.stringify(composed));
  const signature = signMessageAndWipe(composed.message, Uint8Array.from(wallet.seed));
  const { id, bytes } = joinTransaction(composed.message, [signature]);
  return { id, raw: Buffer.from(bytes).toString("base64") };
}

async function carryOut(intent: SolIntent, message: Partial<SolMessage> = {}) {
  const { id, raw } = await sign(intent, message);
  expect(await Promise.all((await effects()).publish(raw))).toEqual(["reached", "reached"]);
  return seen(intent, id);
}

/** Waits until a host shows a transaction. */
const seen = (intent: SolIntent, id: string) =>
  vi.waitFor(async () => {
    const [snapshot] = await ask({ hashes: [id], marked: [intent.orderId] });
    const receipt = snapshot.receipts.get(id);
    if (receipt === undefined) throw new Error("No confirmed block has it");
    return { receipt, snapshot };
  }, 10_000);

function filled(receipt: SolReceipt) {
  if (receipt.status !== "ok") throw new Error("The order was not filled");
  return receipt;
}

/** Makes a host lag by a slot, so that it names the blockhash. */
const behind = (method: string, result: unknown) =>
  method === "getEpochInfo" ? { ...(result as object), absoluteSlot: 1, blockHeight: 1 } : result;

describe("snapshots of Solana", () => {
  it("shows a wallet, an order's pools and costs, and a blockhash that both hosts know", async () => {
    const intent = intentOf("MOON");
    const [a, b] = await ask({ orders: [intent], marked: [intent.orderId], wantsBlockhash: true });
    const [route] = intent.routes;
    expect(a.orders.get(intent.orderId)).toEqual({
      routes: [{ ...route, amountOut: expect.any(BigInt) }],
      computeUnitLimit: expect.any(Number),
      baseFeeLamports: 5000n,
      rents: { ...rents, token: 2_039_280n },
    });
    expect(a.coins).toBe(10n * sol);
    expect(a.rentLamports).toEqual({ marker: rents.marker });
    expect(a.markers).toEqual(new Map([[intent.orderId, false]]));
    expect(a.blockhash?.hash).toBe(b.blockhash?.hash);
    const ends = [a, b].map(({ blockhash }) => blockhash?.lastValidBlockHeight ?? 0);
    expect(Math.abs((ends[0] ?? 0) - (ends[1] ?? 0))).toBeLessThan(150);
    expect(a.finalized.slot).toBeLessThan(a.confirmed.slot);
  });

  it("reads the exact amounts of a purchase and a sale", async () => {
    const buy = intentOf("FEEZ");
    const bought = await carryOut(buy);
    expect(bought.receipt).toMatchObject({
      status: "ok",
      spent: sol,
      rent: rents.marker + 2_157_600n,
      tip: 0n,
      held: 0n,
    });
    const { received } = filled(bought.receipt);
    const sale = intentOf("FEEZ", { side: "sell", amount: received });
    const [before] = await ask({ orders: [sale], wantsBlockhash: true });
    const sold = await carryOut(sale);
    const after = (await ask({}))[0];
    expect(sold.receipt).toMatchObject({ status: "ok", spent: received, held: received, rent: rents.marker });
    expect(filled(sold.receipt).received).toBe(before.orders.get(sale.orderId)?.routes[0]?.amountOut);
    expect(after.coins).toBe(before.coins - rents.marker - sold.receipt.fee + filled(sold.receipt).received);
    expect(sold.snapshot.markers.get(sale.orderId)).toBe(true);
  });

  it("counts a donation to an order's accounts as nothing", async () => {
    const { mint } = chain.deployment.tokens.MOON;
    const buy = await carryOut(intentOf("MOON"));
    const { received } = filled(buy.receipt);
    const sale = intentOf("MOON", { side: "sell", amount: received });
    const [before] = await ask({ orders: [sale], wantsBlockhash: true });
    const gift = await wsolAccountOf(wallet.address, sale.orderId);
    await chain.setAccount(gift, 5n * sol);
    const sold = await carryOut(sale);
    expect(filled(sold.receipt).received).toBe(before.orders.get(sale.orderId)?.routes[0]?.amountOut);
    expect(mint).toBe(sale.token);
  });

  it("does not mistake a deposit for a marker, or count it as rent", async () => {
    const intent = intentOf("MOON");
    const marker = await markerOf(wallet.address, intent.orderId);
    await chain.setAccount(marker, 890_880n);
    const [before] = await ask({ orders: [intent], marked: [intent.orderId], wantsBlockhash: true });
    expect(before.markers.get(intent.orderId)).toBe(false);
    expect(before.orders.get(intent.orderId)).toMatchObject({ routes: [{ venue: "raydium-cpmm" }] });
    const { receipt, snapshot } = await carryOut(intent);
    expect(receipt).toMatchObject({ status: "ok", rent: rents.marker + 2_039_280n, spent: sol });
    expect(snapshot.markers.get(intent.orderId)).toBe(true);
  });

  it("reads a clear, whose order cannot fill any more", async () => {
    const intent = intentOf("MOON");
    const attempt = await sign(intent);
    const { receipt } = await carryOut(intent, { purpose: "clear" });
    expect(receipt).toMatchObject({ status: "ok", rent: rents.marker, spent: 0n, received: 0n });
    await Promise.all((await effects()).publish(attempt.raw));
    const late = await seen(intent, attempt.id);
    expect(late.receipt).toMatchObject({
      status: "failed",
      isSlippage: false,
      tip: 0n,
      rent: 0n,
      fee: 205_000n,
    });
  });

  it("adds a relay's tip to the fee, unless the transaction failed", async () => {
    const [account = ""] = chain.deployment.tipAccounts;
    const tip = { account, lamports: 60_000n };
    const tipped = await carryOut(intentOf("MOON"), { tip });
    expect(tipped.receipt).toMatchObject({ status: "ok", spent: sol, tip: 60_000n, fee: 265_000n });
    const failed = await carryOut(intentOf("MOON", { minAmountOut: 10n ** 15n }), { tip });
    expect(failed.receipt).toMatchObject({ status: "failed", isSlippage: true, tip: 0n, fee: 205_000n });
    expect([...failed.snapshot.markers.values()]).toEqual([false]);
  });

  it("shows the markers and messages of more orders than a call can name", async () => {
    const { receipt } = await carryOut(intentOf("MOON"));
    const orders = Array.from({ length: 130 }, () => intentOf("MOON").orderId);
    const { id } = await sign(intentOf("MOON"));
    const hashes = [...Array.from({ length: 256 }, () => id), receipt.hash];
    const [{ markers, receipts }] = await ask({ marked: orders, hashes });
    expect([...markers.keys()]).toEqual(orders);
    expect([...receipts.keys()]).toEqual([receipt.hash]);
  });

  it("keeps a route whose pool needs more compute units than usual", async () => {
    const intent = intentOf("MOON");
    for (const host of hosts)
      host.lie = (method, result, [raw]) => {
        if (method !== "simulateTransaction") return result;
        const bytes = Buffer.from(raw as string, "base64");
        // The limit is the data of the first instruction, without accounts and with 5 bytes.
        const given = bytes.readUInt32LE(bytes.indexOf(Buffer.of(0, 5, 2)) + 3);
        const err = given < 250_000 ? { InstructionError: [7, "ProgramFailedToComplete"] } : null;
        return { context: { slot: 1 }, value: { err, unitsConsumed: Math.min(given, 250_000) } };
      };
    const [{ orders }] = await ask({ orders: [intent], wantsBlockhash: true });
    expect(orders.get(intent.orderId)).toMatchObject({
      routes: [expect.anything()],
      computeUnitLimit: 300_000,
    });
  });

  it("leaves out a route whose pool refuses the trade", async () => {
    const intent = intentOf("TRAP", { side: "sell", amount: 1_000_000n });
    const { mint, program } = chain.deployment.tokens.TRAP;
    const at = await tokenAccountOf(wallet.address, mint, program);
    const frozen = tokenAccountBytes(mint, wallet.address, 10n ** 9n, { state: 2 });
    await chain.setAccount(at, rents.wsol, program, frozen);
    const [{ orders }] = await ask({ orders: [intent], wantsBlockhash: true });
    // Frozen tokens have not left the wallet, so the sale is not one that found none.
    expect(orders.get(intent.orderId)).toMatchObject({ held: 10n ** 9n, routes: [] });
  });

  it("leaves out the routes of a buy into an account that has been given away", async () => {
    const intent = intentOf("MOON");
    const { mint, program } = chain.deployment.tokens.MOON;
    const thief = await chain.newWallet();
    const at = await tokenAccountOf(wallet.address, mint, program);
    await chain.setAccount(at, rents.wsol, program, tokenAccountBytes(mint, thief.address, 0n));
    const [{ orders }] = await ask({ orders: [intent], wantsBlockhash: true });
    expect(orders.get(intent.orderId)).toMatchObject({ routes: [] });
    expect(orders.get(intent.orderId)).not.toHaveProperty("lacksCoins");
  });

  it("shows that a wallet cannot pay the rents of a message", async () => {
    wallet = await chain.newWallet(sol + 2_000_000n);
    const intent = intentOf("MOON");
    const [{ orders }] = await ask({ orders: [intent], wantsBlockhash: true });
    expect(orders.get(intent.orderId)).toMatchObject({ lacksCoins: true, routes: [expect.anything()] });
  });
});

describe("hosts of Solana that cannot be trusted", () => {
  it("cannot show another transaction as the wallet's", async () => {
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

  it("get no message if only one of them knows the blockhash, or one is silent", async () => {
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

  it("give the life of a blockhash each by its own height", async () => {
    hosts[0].lie = behind;
    hosts[1].lie = (method, result, [options]) =>
      method === "getEpochInfo" && (options as { minContextSlot?: number }).minContextSlot !== undefined
        ? { ...(result as object), blockHeight: 1_000_000 }
        : result;
    // A host may not know the other's blockhash in the first moment of a slot.
    const [a, b] = await vi.waitFor(async () => {
      const both = await ask({ wantsBlockhash: true });
      expect(both[1].blockhash).toBeDefined();
      return both;
    });
    expect(b.blockhash).toEqual({ hash: a.blockhash?.hash, lastValidBlockHeight: 1_000_150 });
    expect(a.blockhash?.lastValidBlockHeight).toBeLessThan(1_000_000);
  });

  it("count as silent if they answer null for the chain's time, or refuse the slot", async () => {
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

  it("count as silent if they show markers of an earlier slot than the height", async () => {
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

  it("count as silent if they read a missing token's balance at a slot before the height", async () => {
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

  it("get no message if the height is of an earlier slot than the blockhash", async () => {
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

  it("show nothing of a transaction that they have pruned", async () => {
    const { receipt } = await carryOut(intentOf("MOON"));
    hosts[0].lie = (method, result) => (method === "getTransaction" ? null : result);
    hosts[1].lie = (method, result) =>
      method === "getSignatureStatuses" ? { context: { slot: 1 }, value: [null] } : result;
    const both = await ask({ hashes: [receipt.hash] });
    expect(both.map(({ receipts }) => receipts.size)).toEqual([0, 0]);
  });
});

describe("looks at Solana", () => {
  const looks = async () => lookEffects(await solChainsOf(chain, hosts));
  const ask = { chain: "sol", host: 0 } as const;

  it("name blocks by their slots, and the final one if it is wanted", async () => {
    const look = await (await looks()).look({ ...ask, heights: [1, 10 ** 9], wantsFinal: true });
    const { number = 0, final } = look ?? {};
    expect(look).toMatchObject({ parentHash: `${number - 1}`, hashes: new Map([[1, "1"]]) });
    expect(number - (final?.number ?? 0)).toBeGreaterThan(20);
    expect((look?.time ?? 0) - (final?.time ?? 0)).toBeGreaterThan(8);
    expect(await (await looks()).look({ ...ask, heights: [], wantsFinal: false })).not.toHaveProperty(
      "final",
    );
  });

  it("find the slots of many transactions, and none for those in no block", async () => {
    const { receipt } = await carryOut(intentOf("MOON"));
    const { id } = await sign(intentOf("MOON"));
    const hashes = [id, receipt.hash, ...Array.from({ length: 260 }, () => id)];
    const found = await (await looks()).minedIn({ ...ask, hashes });
    expect(found).toEqual(
      new Map([
        [id, ""],
        [receipt.hash, receipt.block.hash],
      ]),
    );
  });

  it("need two hosts at about the same slot before orders are placed", async () => {
    const { client } = await solReaderOf(chain, hosts);
    await expect(agreeOnSlot(client)).resolves.toBeUndefined();
    hosts[1].lie = behind;
    await expect(agreeOnSlot(client)).rejects.toThrow("No two hosts of sol agree");
    await expect(agreeOnSlot((await solReaderOf(chain, [hosts[1]])).client)).resolves.toBeUndefined();
    hosts[1].lie = () => null;
    await expect(agreeOnSlot(client)).rejects.toThrow("No two hosts of sol agree");
  });
});

describe("sending on Solana", () => {
  it("counts only an answer as taken", async () => {
    const { raw } = await sign(intentOf("MOON"));
    hosts[0].lie = (method, result) => {
      if (method === "sendTransaction")
        throw new ChainRefusal(method, { code: -32005, message: "Node is behind" });
      return result;
    };
    expect(await Promise.all((await effects()).publish(raw))).toEqual(["unreached", "reached"]);
  });

  it("gives a relay the bytes, counts only its answer, and has none where none is configured", async () => {
    const given: unknown[] = [];
    const node = {
      request: chain.request,
      issuedIn: () => undefined,
      named: () => [],
      replyTo: async ({ params }: { params: readonly unknown[] }) => ({ result: given.push(params[0]) }),
    };
    const { tipAccounts } = chain.deployment;
    const relay = await startSolRelay({ node, slotMs, tipAccounts });
    onTestFinished(() => relay.close());
    const [account = ""] = tipAccounts;
    const { raw } = await sign(intentOf("MOON"), { tip: { account, lamports: 1000n } });
    const configuration = { relay: { url: relay.url, tipAccounts, leastTip: "0.000001" } };
    const send = solEffects(await solReaderOf(chain, hosts, configuration)).relay;
    expect([await send?.(raw), given]).toEqual(["reached", [raw]]);
    for (const faults of [{ refused: 1 }, { stalled: 1 }]) {
      relay.faults = faults;
      expect([await send?.(raw), given]).toEqual(["unreached", [raw]]);
    }
    expect((await effects()).relay).toBeUndefined();
  });
});
