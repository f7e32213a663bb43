import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import type { GivenExit } from "../../lib/orders/resting/exits/given.ts";
import type { StoredResting } from "../../lib/orders/resting/stored.ts";
import { write } from "../../lib/table/write.ts";
import { packed } from "../../lib/trading/items/items.ts";
import { restingKey, tradeKey } from "../../lib/trading/items/keys.ts";
import { readOrder } from "../../lib/trading/items/views.ts";
import { placeResting } from "../../lib/trading/place-resting.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putItems } from "../support/items.ts";
import { openRestingDesk } from "../support/resting-desk.ts";

const db = tableForTests();

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());

const far: GivenExit = { percent: 50, takeProfit: { percent: 500 }, stopLoss: { percent: -50 } };
/** Sells as soon as it rests. */
const near: GivenExit = { percent: 50, takeProfit: { price: "0.0000001" } };

/** Opens a desk that has placed a buy with exits. */
async function bought(...exits: GivenExit[]) {
  const desk = await openRestingDesk(db.table, chain);
  const buy = await desk.place({ amount: "0.5", exits });
  const ids = (buy.exits ?? []).map(({ orderId }) => orderId);
  return { ...desk, buy, ids };
}

/** Works on the buy until it is in a block. */
async function fill(desk: Pick<Awaited<ReturnType<typeof openRestingDesk>>, "watchAndWork">): Promise<void> {
  await desk.watchAndWork();
  await chain.mine();
  await desk.watchAndWork();
}

const word = (value: string) => value.replace(/^0x/, "").padStart(64, "0");

/** Sends MOON from one account to another. */
async function send(from: string, to: string, units: string): Promise<void> {
  const data = `0xa9059cbb${word(to)}${word(units)}`;
  await chain.request("anvil_impersonateAccount", [from]);
  await chain.request("eth_sendTransaction", [{ from, to: localAddresses.moon, data }]);
  await chain.mine();
}

/** Sends all MOON of a wallet to somebody else. */
const moveAway = async (from: string): Promise<void> =>
  send(from, localAddresses.wrapped, await chain.call(localAddresses.moon, `0x70a08231${word(from)}`));

describe("exits of a market order on a real chain", () => {
  it("rest at the prices of the fill, and one whose price is reached sells its share", async () => {
    const desk = await bought(far, near);
    const [first = "", last = ""] = desk.ids;
    expect(desk.buy.exits).toMatchObject([far, near]);
    const pending = await desk.record(first);
    expect(pending).toMatchObject({ stage: "pending", parentOrderId: desk.buy.orderId, type: "oco" });
    expect(pending).not.toHaveProperty("restsUntil");
    expect(await desk.fire(desk.ids)).toEqual(desk.ids.map(() => ({ state: "rest", askAgainMs: 2000 })));
    await fill(desk);
    const { order } = await desk.read(desk.buy.orderId);
    const { spent, received } = { spent: 5n * 10n ** 17n, received: await desk.held() };
    expect(order).toMatchObject({ status: "filled", settled: false });
    await desk.fire(desk.ids);
    expect(await desk.resting(first)).toMatchObject({
      state: "resting",
      entry: { spent, received, amount: received / 2n, isFinal: false, bought: 0 },
    });
    expect(await desk.resting(last)).toMatchObject({ entry: { amount: received - received / 2n } });
    await desk.settle();
    const words = await desk.fire(desk.ids);
    expect(words.map(({ state }) => state)).toEqual(["rest", "out"]);
    expect(await desk.resting(first)).toMatchObject({ state: "resting", entry: { isFinal: true } });
    await desk.settle();
    expect(await desk.held()).toBe(received / 2n);
    await desk.fire(desk.ids);
    expect(await desk.record(last)).toMatchObject({ status: "filled", type: "limit" });
  });

  it("end with their buy if it does not fill", async () => {
    const desk = await bought(far);
    await desk.cancel(desk.buy.orderId);
    await desk.settle();
    await desk.fire(desk.ids);
    expect(await desk.record(desk.ids[0] ?? "")).toMatchObject({
      status: "cancelled",
      reasonCode: "PARENT_NOT_FILLED",
    });
  });

  it("end once their tokens have left the wallet, and not before the buy is final", async () => {
    const desk = await bought(far);
    const [id = ""] = desk.ids;
    await fill(desk);
    await desk.fire(desk.ids);
    await moveAway(desk.wallet);
    await desk.fire(desk.ids);
    expect(await desk.resting(id)).toMatchObject({ state: "resting" });
    await desk.settle();
    await desk.fire(desk.ids);
    await desk.fire(desk.ids);
    expect(await desk.record(id)).toMatchObject({ status: "cancelled", reasonCode: "POSITION_CLOSED" });
  });

  it("end once their position is closed, and sell nothing that the wallet got elsewhere", async () => {
    const desk = await bought({ percent: 100, takeProfit: { price: "0.0000001" } });
    await fill(desk);
    await desk.settle();
    const half = (await desk.held()) / 2n;
    await desk.place({ side: "sell", percent: 100 });
    await desk.settle();
    await send(deployer, desk.wallet, half.toString(16));
    for (let looks = 0; looks < 3; looks++) await desk.fire(desk.ids);
    expect(await desk.record(desk.ids[0] ?? "")).toMatchObject({
      status: "cancelled",
      reasonCode: "POSITION_CLOSED",
    });
  });

  it("end if their position was closed before they could rest", async () => {
    const desk = await bought(near);
    await desk.settle();
    await desk.place({ side: "sell", percent: 100 });
    await desk.settle();
    await desk.fire(desk.ids);
    expect(await desk.record(desk.ids[0] ?? "")).toMatchObject({ reasonCode: "POSITION_CLOSED" });
  });

  it("wait again for a buy that a reorganisation has taken back", async () => {
    const desk = await openRestingDesk(db.table, chain);
    const snapshot = await chain.request("evm_snapshot", []);
    const { exits = [] } = await desk.place({ amount: "0.5", exits: [far] });
    const ids = exits.map(({ orderId }) => orderId);
    await fill(desk);
    await desk.fire(ids);
    expect(await desk.resting(ids[0] ?? "")).toMatchObject({ state: "resting" });
    await chain.request("evm_revert", [snapshot]);
    await chain.mine();
    await desk.fire(ids);
    expect(await desk.resting(ids[0] ?? "")).toMatchObject({ state: "pending" });
  });
});

describe("exits, if executeOrders is taken over", () => {
  /** Changes what an order has brought according to its record. */
  async function forge({ userID }: { userID: string }, orderId: string, life: object): Promise<void> {
    const { order } = await readOrder(db.table, userID, orderId);
    if (order === undefined) throw new Error("The order has no record");
    const forged = { ...order, life: { ...order.life, ...life } };
    await putItems(db.table, [{ ...tradeKey(userID, orderId), ...(packed(forged) as object) }]);
  }

  it.each([
    ["half", 1n],
    ["twice", 4n],
  ])("rest at the prices and amounts of the receipt if it writes %s the fill", async (_, halves) => {
    const desk = await bought(far);
    await fill(desk);
    const { spent, received } = { spent: 5n * 10n ** 17n, received: await desk.held() };
    const { orderId } = desk.buy;
    await forge(desk, orderId, { spent: spent - 1n, received: (received * halves) / 2n });
    await desk.fire(desk.ids);
    const entry = { spent, received, amount: received / 2n };
    expect(await desk.resting(desk.ids[0] ?? "")).toMatchObject({ state: "resting", entry });
    await forge(desk, orderId, { spent, received: 1n });
    await desk.fire(desk.ids);
    expect(await desk.resting(desk.ids[0] ?? "")).toMatchObject({ state: "resting", entry });
  });

  it("wait while a buy is in no block, whatever it writes", async () => {
    const desk = await bought(far);
    await desk.watchAndWork();
    const filled = { status: "filled", settled: true, spent: 1n, received: 10n ** 18n };
    await forge(desk, desk.buy.orderId, filled);
    await desk.fire(desk.ids);
    expect(await desk.resting(desk.ids[0] ?? "")).toMatchObject({ state: "pending" });
  });

  it("wait while one of the hosts shows another fill", async () => {
    const desk = await bought(far);
    await fill(desk);
    const liar = await startSecondHost({ chainUrl: chain.url });
    liar.lie = ({ method }, reply) =>
      method === "eth_getTransactionReceipt" && "result" in reply
        ? { result: { ...(reply.result as object), logs: [] } }
        : reply;
    const chains = openEvmChains({ [chain.chain]: { ...chain.contracts, hosts: [chain.url, liar.url] } });
    await desk.fire(desk.ids, { chains });
    expect(await desk.resting(desk.ids[0] ?? "")).toMatchObject({ state: "pending" });
    liar.lie = (_, reply) => reply;
    await desk.fire(desk.ids, { chains });
    expect(await desk.resting(desk.ids[0] ?? "")).toMatchObject({ state: "resting" });
    await liar.close();
  });
});

describe("placing a buy with exits", () => {
  it("refuses a stop above what selling at once would bring", async () => {
    const desk = await openRestingDesk(db.table, chain);
    const exits = [far, { percent: 50, stopLoss: { percent: -3 } }];
    await expect(desk.place({ amount: "0.5", exits })).rejects.toMatchObject({
      code: "WOULD_FIRE_NOW",
      details: { price: expect.any(String), roundTrip: expect.any(String), exit: 1 },
    });
    const taxed = { amount: "0.5", token: localAddresses.taxd };
    await expect(
      desk.place({ ...taxed, exits: [{ percent: 100, stopLoss: { percent: -8 } }] }),
    ).rejects.toMatchObject({ code: "WOULD_FIRE_NOW" });
    await expect(desk.place({ ...taxed, exits: [far] })).resolves.toMatchObject({ status: "open" });
  });

  it("refuses exits of a token that cannot be sold", async () => {
    const desk = await openRestingDesk(db.table, chain);
    const trap = { amount: "0.1", token: localAddresses.trap, allowUnsafe: true };
    await expect(desk.place({ ...trap, exits: [near] })).rejects.toMatchObject({
      code: "EXITS_UNAVAILABLE",
      details: { reason: "CANNOT_SELL" },
    });
  });

  it("refuses a buy that leaves too little coin for the sales of its exits", async () => {
    const desk = await openRestingDesk(db.table, chain);
    const holds = (coins: number) =>
      chain.request("anvil_setBalance", [desk.wallet, `0x${BigInt(Math.round(coins * 1e18)).toString(16)}`]);
    const refusal = () => desk.place({ amount: "0.5", exits: [far, far] }).catch(({ details }) => details);
    await holds(0.5);
    const { needed, forExits } = await refusal();
    await holds(needed - forExits / 2);
    expect(await refusal()).toMatchObject({ needed, forExits });
    await expect(desk.place({ amount: "0.5" })).resolves.toMatchObject({ status: "open" });
  });
});

describe("exits of a limit", () => {
  /** Places a limit with an exit. Returns the ids of both. */
  async function limited(desk: Awaited<ReturnType<typeof openRestingDesk>>, price: string) {
    const terms = { type: "limit", side: "buy", amount: "0.5", price, exits: [far] } as const;
    const body = { ...desk.lane, ...terms, token: localAddresses.moon };
    const request = { userID: desk.userID, now: new Date(), signedInAt: undefined, key: "limit" };
    expect(await placeResting(desk.placing, { ...request, body: { ...body, dryRun: true } })).toMatchObject({
      resting: { exits: [far] },
    });
    const placed = await placeResting(desk.placing, { ...request, body });
    if (!("order" in placed)) throw new Error("It was not placed");
    return [placed.order.orderId, ...(placed.order.exits ?? []).map(({ orderId }) => orderId)];
  }

  it("rest once a child of the limit has filled", async () => {
    const desk = await openRestingDesk(db.table, chain);
    const all = await limited(desk, "1");
    const ids = all.slice(1);
    await desk.fire(all);
    expect(await desk.resting(ids[0] ?? "")).toMatchObject({ state: "pending" });
    await desk.settle();
    await desk.fire(all);
    await desk.fire(all);
    const received = await desk.held();
    expect(await desk.resting(ids[0] ?? "")).toMatchObject({
      state: "resting",
      entry: { received, amount: received / 2n, bought: 1 },
    });
  });

  it("wait if executeOrders, taken over, ends the limit or names an older fill of the wallet as its fill", async () => {
    const desk = await openRestingDesk(db.table, chain);
    const older = await desk.place({ amount: "0.25" });
    await desk.settle();
    const [id = "", exit = ""] = await limited(desk, "0.000001");
    const stored = (await desk.resting(id)) as StoredResting;
    const firing = { n: 1, orderId: older.orderId, leg: "limit", price: "1", block: 1, outcome: "filled" };
    const ended = { ...stored, state: "done" };
    for (const forged of [ended, { ...ended, filled: older.orderId, firings: [firing] }]) {
      await putItems(db.table, [{ ...tradeKey(desk.userID, id), ...(packed(forged) as object) }]);
      await desk.fire([exit]);
      expect(await desk.resting(exit)).toMatchObject({ state: "pending" });
      // Ends the limit, so that only its record is left.
      await write(db.table, { kind: "remove", key: restingKey(stored.mandate) });
    }
  });
});
