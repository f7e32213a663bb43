import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { createSolNode } from "trading-terminal-devnet/sol/sol-node";
import { startSolRelay } from "trading-terminal-devnet/sol/sol-relay";
import { slotMs, tokenAccountBytes } from "trading-terminal-devnet/sol/test-surfnet";
import { describe, expect, it, onTestFinished } from "vitest";
import { markerOf, tokenAccountOf, wsolAccountOf } from "../../../lib/chains/sol/calls/addresses.ts";
import { agreeOnSlot } from "../../../lib/chains/sol/calls/hosts.ts";
import { solEffects } from "../../../lib/chains/sol/look.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt } from "../../../lib/chains/sol/rules/host-snapshot.ts";
import type { Question } from "../../../lib/orders/effects.ts";
import { lookEffects } from "../../../lib/trading/execution/look-effects.ts";
import { startCountingHost } from "../../bench/counting-host.ts";
import {
  naming,
  olderBlockhash,
  solChainsOf,
  solReaderOf,
  startTestSolHost,
  type TestSolHost,
} from "../../support/sol-reader.ts";
import { behind, rents, sol, solOrdersForTests } from "./support/sol-orders.ts";

const { chain, hosts, desk, effects, intentOf, ask, sign, carryOut, seen } = solOrdersForTests();

function filled(receipt: SolReceipt) {
  if (receipt.status !== "ok") throw new Error("The order was not filled");
  return receipt;
}

describe("snapshots of Solana", () => {
  it("shows a wallet, an order's pools and costs, and a blockhash that both hosts know", async () => {
    const intent = intentOf("MOON");
    const [a, b] = await ask({ orders: [intent], marked: [intent.orderId], wantsBlockhash: true });
    const [route] = intent.routes;
    expect(a.orders.get(intent.orderId)).toEqual({
      routes: [{ ...route, amountOut: expect.any(BigInt) }],
      computeUnitLimit: expect.any(Number),
      baseFeeLamports: 5000n,
      rents: { ...rents, token: 1_488_440n, market: 0n },
    });
    expect(a.coins).toBe(10n * sol);
    expect(a.rentLamports).toEqual({ marker: rents.marker });
    expect(a.markers).toEqual(new Map([[intent.orderId, false]]));
    expect(a.blockhash?.hash).toBe(b.blockhash?.hash);
    const ends = [a, b].map(({ blockhash }) => blockhash?.lastValidBlockHeight ?? 0);
    expect(Math.abs((ends[0] ?? 0) - (ends[1] ?? 0))).toBeLessThan(150);
  });

  it("reads the exact amounts of a buy and a sale", async () => {
    const buy = intentOf("FEEZ");
    const bought = await carryOut(buy);
    expect(bought.receipt).toMatchObject({
      status: "ok",
      spent: sol,
      rent: rents.marker + 1_574_800n,
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

  it("ignores a donation to an order's accounts", async () => {
    const { mint } = chain.deployment.tokens.MOON;
    const buy = await carryOut(intentOf("MOON"));
    const { received } = filled(buy.receipt);
    const sale = intentOf("MOON", { side: "sell", amount: received });
    const [before] = await ask({ orders: [sale], wantsBlockhash: true });
    const gift = await wsolAccountOf(desk.wallet.address, sale.orderId);
    await chain.setAccount(gift, 5n * sol);
    const sold = await carryOut(sale);
    expect(filled(sold.receipt).received).toBe(before.orders.get(sale.orderId)?.routes[0]?.amountOut);
    expect(mint).toBe(sale.token);
  });

  it("asks a host at most three requests while a message waits, and at most six to prepare one", async () => {
    const front = await startCountingHost(hosts[0].url);
    onTestFinished(() => front.stop());
    const opened = await solReaderOf(chain, [{ ...hosts[0], url: front.url }, hosts[1]]);
    const intent = intentOf("MOON");
    const { id } = await sign(intent);
    const common = { chain: "sol", wallet: desk.wallet.address, marked: [intent.orderId] } as const;
    const requestsFor = async (question: Omit<Question<Sol>, keyof typeof common>) => {
      front.requests.splice(0);
      await Promise.all(solEffects(opened).snapshots({ ...common, ...question }));
      return front.requests.map(({ calls }) => calls.map(({ method }) => method));
    };
    const waiting = { hashes: [id], orders: [], wantsBlockhash: false };
    const signing = { hashes: [id], orders: [intent], wantsBlockhash: true };
    expect((await requestsFor(waiting)).length).toBeLessThanOrEqual(3);
    expect((await requestsFor(signing)).length).toBeLessThanOrEqual(6);
    // Rents are remembered, and the cluster is named once a minute.
    const again = (await requestsFor(signing)).flat();
    expect(again).not.toContain("getMinimumBalanceForRentExemption");
    expect(again).not.toContain("getGenesisHash");
  });

  it("asks in two rounds, and once more only if a reserve host has replaced one that failed", async () => {
    const roundTripMs = 300;
    const node = createSolNode(chain);
    const started = await Promise.all([1, 2, 3].map(() => startTestSolHost(chain, node)));
    const fronts = await Promise.all(started.map(({ url }) => startCountingHost(url, roundTripMs)));
    onTestFinished(async () => {
      for (const front of fronts) front.stop();
      for (const host of started) await host.close();
    });
    const [first] = started as [TestSolHost];
    const opened = await solReaderOf(
      chain,
      fronts.map(({ url }) => ({ ...first, url })),
    );
    const intent = intentOf("MOON");
    const asked = {
      chain: "sol",
      wallet: desk.wallet.address,
      hashes: [],
      marked: [intent.orderId],
    } as const;
    const roundsOf = async () => {
      for (const { requests } of fronts) requests.splice(0);
      const question = { ...asked, orders: [intent], wantsBlockhash: true };
      const [a, b] = await Promise.all(solEffects(opened).snapshots(question));
      expect(a?.blockhash).toBeDefined();
      expect(b?.blockhash?.hash).toBe(a?.blockhash?.hash);
      const times = fronts.flatMap(({ requests }) => requests.map(({ at }) => at)).toSorted((x, y) => x - y);
      return times.filter((at, index) => at - (times[index - 1] ?? 0) > roundTripMs / 2).length;
    };
    // Hosts first show how large a batch may be.
    await roundsOf();
    expect(await roundsOf()).toBe(2);
    first.lie = () => null;
    expect(await roundsOf()).toBe(1 + 2 + 1);
  });

  it("shows what a host knows that refuses to confirm a blockhash", async () => {
    hosts[0].lie = naming(await olderBlockhash(chain, hosts[0]));
    hosts[1].lie = (method, result) => {
      if (method === "isBlockhashValid") throw new ChainRefusal(method, { code: -32601, message: "Unknown" });
      return result;
    };
    const [a, b] = await ask({ orders: [intentOf("MOON")], wantsBlockhash: true });
    expect([a.blockhash, b.blockhash]).toEqual([undefined, undefined]);
    expect(b.coins).toBe(10n * sol);
  });

  it("never mistakes a deposit for a marker, or counts it as rent", async () => {
    const intent = intentOf("MOON");
    const marker = await markerOf(desk.wallet.address, intent.orderId);
    await chain.setAccount(marker, 650_240n);
    const [before] = await ask({ orders: [intent], marked: [intent.orderId], wantsBlockhash: true });
    expect(before.markers.get(intent.orderId)).toBe(false);
    expect(before.orders.get(intent.orderId)).toMatchObject({ routes: [{ venue: "raydium-cpmm" }] });
    const { receipt, snapshot } = await carryOut(intent);
    expect(receipt).toMatchObject({ status: "ok", rent: rents.marker + 1_488_440n, spent: sol });
    expect(snapshot.markers.get(intent.orderId)).toBe(true);
  });

  it("reads a clear, after which its order cannot fill", async () => {
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

  it("shows the markers and messages of more orders than one call can name", async () => {
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
        // Reads the limit from the first instruction, which has no accounts and 5 bytes of data.
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

  it("leaves out a route whose pool rejects the trade", async () => {
    const intent = intentOf("TRAP", { side: "sell", amount: 1_000_000n });
    const { mint, program } = chain.deployment.tokens.TRAP;
    const at = await tokenAccountOf(desk.wallet.address, mint, program);
    const frozen = tokenAccountBytes(mint, desk.wallet.address, 10n ** 9n, { state: 2 });
    await chain.setAccount(at, rents.wsol, program, frozen);
    const [{ orders }] = await ask({ orders: [intent], wantsBlockhash: true });
    // Frozen tokens are still in the wallet, so the sale does not count as sold out.
    expect(orders.get(intent.orderId)).toMatchObject({ held: 10n ** 9n, routes: [] });
  });

  it("leaves out the routes of a buy into an account that was given away", async () => {
    const intent = intentOf("MOON");
    const { mint, program } = chain.deployment.tokens.MOON;
    const thief = await chain.newWallet();
    const at = await tokenAccountOf(desk.wallet.address, mint, program);
    await chain.setAccount(at, rents.wsol, program, tokenAccountBytes(mint, thief.address, 0n));
    const [{ orders }] = await ask({ orders: [intent], wantsBlockhash: true });
    expect(orders.get(intent.orderId)).toMatchObject({ routes: [] });
    expect(orders.get(intent.orderId)).not.toHaveProperty("lacksCoins");
  });

  it("reports that a wallet cannot pay a message's rents", async () => {
    desk.wallet = await chain.newWallet(sol + 2_000_000n);
    const intent = intentOf("MOON");
    const [{ orders }] = await ask({ orders: [intent], wantsBlockhash: true });
    expect(orders.get(intent.orderId)).toMatchObject({ lacksCoins: true, routes: [expect.anything()] });
  });
});

describe("looks at the Solana chain", () => {
  const looks = async () => lookEffects(await solChainsOf(chain, hosts));
  const ask = { chain: "sol", host: 0 } as const;

  it("names blocks by their slots, and says on request that they are final", async () => {
    const look = await (await looks()).look({ ...ask, heights: [1, 10 ** 9], wantsFinal: true });
    const { number = 0, time, final } = look ?? {};
    expect(look).toMatchObject({ parentHash: `${number - 1}`, hashes: new Map([[1, "1"]]) });
    expect(final).toEqual({ number, time });
    expect(await (await looks()).look({ ...ask, heights: [], wantsFinal: false })).not.toHaveProperty(
      "final",
    );
  });

  it("finds the slots of many transactions, and none for transactions in no block", async () => {
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

  it("requires two hosts at about the same slot before orders are placed", async () => {
    const { client } = await solReaderOf(chain, hosts);
    await expect(agreeOnSlot(client)).resolves.toBeUndefined();
    hosts[1].lie = behind;
    await expect(agreeOnSlot(client)).rejects.toThrow("No two hosts of sol agree");
    await expect(agreeOnSlot((await solReaderOf(chain, [hosts[1]])).client)).resolves.toBeUndefined();
    hosts[1].lie = () => null;
    await expect(agreeOnSlot(client)).rejects.toThrow("No two hosts of sol agree");
  });
});

describe("sending transactions on Solana", () => {
  it("counts a transaction as taken only if the host answers", async () => {
    const { raw } = await sign(intentOf("MOON"));
    hosts[0].lie = (method, result) => {
      if (method === "sendTransaction")
        throw new ChainRefusal(method, { code: -32005, message: "Node is behind" });
      return result;
    };
    expect(await Promise.all((await effects()).publish(raw))).toEqual(["unreached", "reached"]);
  });

  it("sends the bytes to a configured relay, and counts only the relay's answer", async () => {
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
