import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { snapshotOfEvm } from "../../../lib/chains/evm/looks/snapshot-of-host.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { coinUnitsFrom } from "../../../lib/orders/decimal-text.ts";
import type { Position } from "../../../lib/orders/execution.ts";
import { getItems } from "../../../lib/table/batch-get.ts";
import { heldTokenKey, laneKey } from "../../../lib/trading/items/keys.ts";
import { homeShard } from "../../../lib/trading/items/lane-places.ts";
import { readListed } from "../../../lib/trading/items/listed-executions.ts";
import { readHeld } from "../../../lib/trading/items/views.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { openDesk, type TradingDesk } from "../../support/trading-desk.ts";

const db = tableForTests();
const { moon } = localAddresses;
const coin = 10n ** 18n;

let chain: TestChain;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(() => chain.restore());

const units = (text = "") => (text === "0" ? 0n : coinUnitsFrom("eth", text, "amount"));

async function positionsOf({ userID }: TradingDesk): Promise<Position[]> {
  const { executions } = await readListed(db.table, { userID, kind: "position" }, { filter: {}, limit: 9 });
  return executions as Position[];
}

async function buy(desk: TradingDesk, amount = "0.5"): Promise<void> {
  await desk.place({ amount });
  await desk.work();
  await desk.settle();
}

/** Moves tokens out of the wallet, as another program with its key could. */
async function move(from: string, to: string, amount: bigint): Promise<void> {
  await chain.request("anvil_impersonateAccount", [from]);
  const data = `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`;
  await chain.request("eth_sendTransaction", [{ from, to: moon, data, gas: "0x30d40" }]);
  await chain.mine();
}

const laneOf = async ({ lane }: TradingDesk) =>
  (await getItems(db.table, [laneKey(lane, homeShard(lane))]))[0];

describe("a position whose tokens were moved away", () => {
  it("closes a position without proceeds once the move is final, and opens a new one with a later buy", async () => {
    const desk = await openDesk(db.table, chain);
    await buy(desk);
    const [before] = await positionsOf(desk);
    await move(desk.wallet, deployer, await desk.held());
    await desk.workMissed(moon);
    await desk.workMissed(moon);
    // A reorganisation can still undo the move.
    expect(await positionsOf(desk)).toEqual([before]);
    expect(await desk.watchAndWork()).toBe(false);
    await chain.mine(12);
    expect(await desk.watchAndWork()).toBe(true);
    const [closed] = await positionsOf(desk);
    expect(closed).toMatchObject({
      status: "closed",
      reason: "MOVED_OUT",
      amount: "0",
      cost: "0",
      realizedPnl: "0",
      settled: true,
      movedOut: before?.amount,
      averageEntryPrice: before?.averageEntryPrice,
      version: (before?.version ?? 0) + 1,
    });
    expect(closed?.closedAt).toBeDefined();
    expect(await laneOf(desk)).toBeUndefined();

    await buy(desk);
    // Lists the positions in any order, which is random for two that open in the same second.
    const positions = await positionsOf(desk);
    expect(positions).toContainEqual(closed);
    const [opened] = positions.filter(({ positionId }) => positionId !== closed?.positionId);
    expect(opened).toMatchObject({ status: "open", cost: "0.5" });
    expect(opened).not.toHaveProperty("reason");
    expect(units(opened?.amount)).toBe(await desk.held());
  });

  it("shrinks a position in proportion if part of the tokens is left", async () => {
    const desk = await openDesk(db.table, chain);
    await buy(desk);
    const [before] = await positionsOf(desk);
    const amount = units(before?.amount);
    const left = amount / 3n;
    await move(desk.wallet, deployer, amount - left);
    await desk.workMissed(moon);
    await desk.settle();
    const [position] = await positionsOf(desk);
    expect(position).toMatchObject({ status: "open", realizedPnl: "0" });
    expect(position).not.toHaveProperty("reason");
    expect(units(position?.amount)).toBe(left);
    expect(units(position?.movedOut)).toBe(amount - left);
    const cost = units("0.5");
    expect(units(position?.cost)).toBe(cost - (cost * (amount - left)) / amount);
  });

  it("keeps a position open if the tokens return before the move is final, or its block is replaced", async () => {
    const desk = await openDesk(db.table, chain);
    await buy(desk);
    const before = await positionsOf(desk);
    const held = await desk.held();
    await move(desk.wallet, deployer, held);
    await desk.workMissed(moon);
    await move(deployer, desk.wallet, held);
    await desk.settle();
    expect(await positionsOf(desk)).toEqual(before);
    expect(await laneOf(desk)).toBeUndefined();
  });

  it("ignores a wrong report, and a report about a token that was never bought", async () => {
    const desk = await openDesk(db.table, chain);
    await buy(desk);
    const before = await positionsOf(desk);
    for (const [token, user] of [[moon], [localAddresses.taxd], [moon, "a stranger"]] as const) {
      await desk.workMissed(token, user);
      expect(await laneOf(desk)).toBeUndefined();
    }
    expect(await positionsOf(desk)).toEqual(before);
  });

  it("waits to check a token until its order is settled", async () => {
    const desk = await openDesk(db.table, chain);
    await buy(desk);
    await move(desk.wallet, deployer, await desk.held());
    await desk.place({ amount: "0.5" });
    await desk.work();
    await desk.workMissed(moon);
    await desk.settle();
    expect(await positionsOf(desk)).toMatchObject([{ status: "open", cost: "1" }]);
    await desk.workMissed(moon);
    await desk.settle();
    const [position] = await positionsOf(desk);
    expect(units(position?.amount)).toBe(await desk.held());
  });

  it("keeps a position whose tokens one of the hosts still shows", async () => {
    const hosts: RpcHost[] = [];
    const desk = await openDesk(db.table, chain, {
      async see(host, reader, question) {
        if (!hosts.includes(host)) hosts.push(host);
        const seen = await snapshotOfEvm(host, reader, question);
        return seen && host === hosts[1] ? { ...seen, held: new Map([[moon, 0n]]) } : seen;
      },
    });
    await buy(desk);
    const before = await positionsOf(desk);
    await desk.workMissed(moon);
    expect(await laneOf(desk)).toBeUndefined();
    expect(await positionsOf(desk)).toEqual(before);
  });
});

describe("the sweep of positions", () => {
  const minuteOf = ({ userID, lane }: TradingDesk) => {
    const { PK } = heldTokenKey({ ...lane, userID, token: moon });
    return Number(PK.split("#").at(-1));
  };
  const heldOf = (desk: TradingDesk) => readHeld(db.table, desk.lane.chain, minuteOf(desk) * 60_000);

  it("lists a position from its settlement until it is closed, with or without a sale", async () => {
    const desk = await openDesk(db.table, chain);
    await desk.place({ amount: "0.5" });
    await desk.work();
    expect(await heldOf(desk)).toEqual([]);
    await desk.settle();
    const name = { ...desk.lane, userID: desk.userID, token: moon };
    expect(await heldOf(desk)).toMatchObject([name]);
    await desk.place({ side: "sell", percent: 50 });
    await desk.work();
    await desk.settle();
    expect(await heldOf(desk)).toMatchObject([name]);
    await desk.place({ side: "sell", percent: 100 });
    await desk.work();
    await desk.settle();
    expect(await heldOf(desk)).toEqual([]);

    await buy(desk);
    expect(await heldOf(desk)).toMatchObject([name]);
    await move(desk.wallet, deployer, await desk.held());
    const [held] = await heldOf(desk);
    await desk.workMissed(held?.token ?? "", held?.userID);
    await desk.settle();
    expect(await positionsOf(desk)).toMatchObject([{ reason: "MOVED_OUT" }, { status: "closed" }]);
    expect(await heldOf(desk)).toEqual([]);
  });
});

describe("a wallet shared by two users", () => {
  it("closes one user's position after the other user has sold the tokens", async () => {
    const alice = await openDesk(db.table, chain);
    await buy(alice);
    const bob = await alice.shareWith(`${alice.userID}'s friend`);
    await bob.place({ side: "sell", percent: 100 });
    await bob.work();
    await bob.settle();
    expect(await alice.held()).toBe(0n);
    expect(await positionsOf(alice)).toMatchObject([{ status: "open" }]);
    await alice.workMissed(moon);
    await alice.settle();
    expect(await positionsOf(alice)).toMatchObject([
      { status: "closed", reason: "MOVED_OUT", realizedPnl: "0" },
    ]);
  });

  it("splits a loss between both users' positions in proportion, whichever user reports it", async () => {
    const alice = await openDesk(db.table, chain);
    await buy(alice);
    const bob = await alice.shareWith(`${alice.userID}'s friend`);
    await buy(bob, "0.1");
    const [[own], [other]] = await Promise.all([positionsOf(alice), positionsOf(bob)]);
    const total = units(own?.amount) + units(other?.amount);
    const left = total / 2n;
    await move(alice.wallet, deployer, total - left);
    await bob.workMissed(moon);
    await bob.settle();
    const [[after], [otherAfter]] = await Promise.all([positionsOf(alice), positionsOf(bob)]);
    expect(units(after?.amount) + units(otherAfter?.amount)).toBe(left);
    const near = (a: bigint, b: bigint) => expect(Number(a - b)).toBeLessThanOrEqual(1);
    near(units(after?.amount), units(own?.amount) / 2n);
    expect(units(otherAfter?.amount) / coin).toBe(units(other?.amount) / 2n / coin);
    expect(otherAfter).toMatchObject({ status: "open", movedOut: expect.any(String) });
  });
});
