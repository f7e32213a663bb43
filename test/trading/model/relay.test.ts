import { beforeEach, describe, expect, it } from "vitest";
import { newReader, type Reader, readChain } from "../../../lib/trading/procedures/reading.ts";
import { type PlainRequest, placeRequest } from "../../support/place-request.ts";
import { genesis } from "./history.ts";
import { ModelChain } from "./model-chain.ts";
import { Random } from "./random.ts";
import { theSystem } from "./system.ts";
import { chain, World } from "./world.ts";

const startMs = Date.UTC(2026, 10, 21, 20);
const wallet = "0xA1";
const userID = "alice";
const blockSeconds = 12;
const validSeconds = 120;

let model: ModelChain;
let world: World;
let reader: Reader;

beforeEach(() => {
  const random = new Random(1);
  model = new ModelChain(random, genesis, startMs / 1000);
  world = new World(random, theSystem, model, startMs);
  world.table.put("wallet", { chain, wallet, userID });
  reader = newReader();
  world.readerLease = {
    run: "r",
    epoch: 1,
    build: "b",
    startedAtMs: startMs,
    heartbeatMs: Number.MAX_SAFE_INTEGER,
  };
});

async function finishAll(): Promise<void> {
  for (;;) {
    const lane = world.wakes.shift();
    if (lane !== undefined) world.startWork(lane);
    const [process] = world.processes;
    if (process === undefined) return;
    await world.step(process);
  }
}

/** Lets time pass, with a block every 12 seconds, a look by the reader every second, and a sweep every minute. */
async function pass(seconds: number, isOver = () => false): Promise<void> {
  for (let passed = 0; passed < seconds && !isOver(); passed++) {
    world.nowMs += 1000;
    const now = Math.floor(world.nowMs / 1000);
    if (now % blockSeconds === 0) model.mine(now, true);
    world.start({ name: "watch", procedure: readChain(chain, reader) });
    if (now % 60 === 0) world.start({ name: "sweep", procedure: theSystem.sweep(chain) });
    await finishAll();
  }
}

async function place(changes: Partial<PlainRequest> = {}): Promise<string> {
  const orderId = world.newId("order");
  const request = placeRequest({
    wallet,
    userID,
    orderId,
    key: orderId,
    fingerprint: orderId,
    side: "buy",
    token: "MOON",
    amount: 500n,
    slippage: 1,
    isPrivate: true,
    maxGasPrice: 200n,
    gasPreset: "medium",
    nowMs: world.nowMs,
    validUntil: Math.floor(world.nowMs / 1000) + validSeconds,
    ...changes,
  });
  world.place(request, () => undefined);
  await finishAll();
  return orderId;
}

const orderOf = (orderId: string) => world.table.get("order", { intent: { userID, orderId } });
const lifeOf = (orderId: string) => orderOf(orderId)?.life;
const nonce = () => model.belongings(wallet).nonce;

describe("a private order that no block includes", () => {
  const phases = Array.from({ length: blockSeconds }, (_, phase) => phase);

  it.each(phases)(
    "frees a wallet within two blocks after the deadline, and fills its next order (%d s after a block)",
    async (phase) => {
      await pass(phase);
      const missed = await place();
      model.buyByOthers("MOON", 300_000n);
      await pass(validSeconds - 1);
      expect(lifeOf(missed)).toMatchObject({ status: "open", stage: "sent" });
      await pass(1);
      const blocksToGo = 2 * blockSeconds - (Math.floor(world.nowMs / 1000) % blockSeconds);
      await pass(blocksToGo, () => nonce() === 1);
      expect(nonce()).toBe(1);
      expect(model.seen).toContain("relay: left out");
      expect(model.seen).toContain("relay: cancelled");
      await pass(1);
      expect(lifeOf(missed)).toMatchObject({ status: "expired", reasonCode: "NOT_INCLUDED", spent: 0n });
      const next = await place();
      await pass(2 * blockSeconds);
      expect(lifeOf(next)?.status).toBe("filled");
    },
  );

  it("frees a wallet within two blocks after its order was cancelled", async () => {
    const missed = await place();
    model.buyByOthers("MOON", 300_000n);
    await pass(30);
    world.start({ name: "cancel", procedure: theSystem.cancel(userID, missed) });
    await pass(2 * blockSeconds);
    expect(lifeOf(missed)).toMatchObject({ status: "cancelled", reasonCode: "CANCELLED_BY_USER" });
    expect(nonce()).toBe(1);
  });

  it("frees a wallet after a cancellation just before the deadline, and ends the order as cancelled", async () => {
    const missed = await place();
    model.buyByOthers("MOON", 300_000n);
    await pass(validSeconds - 1);
    world.start({ name: "cancel", procedure: theSystem.cancel(userID, missed) });
    await pass(3 * blockSeconds);
    expect(lifeOf(missed)).toMatchObject({ status: "cancelled", reasonCode: "CANCELLED_BY_USER" });
    expect(nonce()).toBe(1);
  });

  it("frees a wallet although the relay does not answer", async () => {
    const missed = await place();
    model.buyByOthers("MOON", 300_000n);
    await pass(30);
    model.setRelay("away");
    await pass(validSeconds);
    expect(nonce()).toBe(1);
    expect(lifeOf(missed)).toMatchObject({ status: "expired" });
  });
});

describe("an order that no relay confirms", () => {
  it("waits with RELAY_UNAVAILABLE, and expires with the same reason", async () => {
    model.setRelay("away");
    const order = await place();
    await pass(30);
    expect(lifeOf(order)).toMatchObject({ stage: "waiting", reasonCode: "RELAY_UNAVAILABLE" });
    await pass(validSeconds);
    expect(lifeOf(order)).toMatchObject({ status: "expired", reasonCode: "RELAY_UNAVAILABLE" });
    expect(nonce()).toBe(1);
  });

  it("fills an order even if the relay never answers", async () => {
    model.setRelay("mute");
    const order = await place();
    expect(lifeOf(order)).toMatchObject({ stage: "waiting", reasonCode: "RELAY_UNAVAILABLE" });
    await pass(2 * blockSeconds);
    expect(lifeOf(order)).toMatchObject({ status: "filled" });
  });

  it("fills an order once the relay takes it", async () => {
    model.setRelay("away");
    const order = await place();
    await pass(30);
    model.setRelay("up");
    await pass(2 * blockSeconds);
    expect(lifeOf(order)).toMatchObject({ status: "filled" });
  });
});
