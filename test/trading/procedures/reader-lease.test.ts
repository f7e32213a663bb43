import { describe, expect, it } from "vitest";
import type { Effect, Procedure } from "../../../lib/orders/effects.ts";
import type { ReaderLease } from "../../../lib/orders/table-step.ts";
import {
  endReading,
  ensureReader,
  handedOverAt,
  leaveReading,
  renewReaderLease,
  takeReaderLease,
  tellNextReader,
} from "../../../lib/trading/procedures/reader-lease.ts";
import { interleavings } from "../../support/interleavings.ts";

/** Simulates a table with one lease and an optional lane, and counts the starts of readers. */
class LeaseWorld {
  lease: ReaderLease | undefined;
  hasLane = false;
  isAnswered = true;
  nowMs = 0;
  starts = 0;

  perform(effect: Effect): unknown {
    switch (effect.do) {
      case "now":
        return this.nowMs;
      case "pause":
        this.nowMs += effect.ms;
        return undefined;
      case "isReaderNeeded":
        return this.hasLane;
      case "tryReader":
        return this.isAnswered;
      case "readReaderLease":
        return this.lease && { ...this.lease };
      case "changeReaderLease": {
        const { when, set } = effect;
        const fields = Object.entries(when ?? {}) as [keyof ReaderLease, unknown][];
        const holds =
          when === undefined
            ? this.lease === undefined
            : fields.every(([name, value]) => this.lease?.[name] === value);
        if (holds) this.lease = { ...this.lease, ...set } as ReaderLease;
        return holds;
      }
      case "write":
        this.hasLane = true;
        return true;
      case "startReader":
        this.starts++;
        return undefined;
      default:
        throw new Error(`Not here: ${effect.do}`);
    }
  }

  run<Result>(procedure: Procedure<Result>): Result {
    let next = procedure.next();
    while (!next.done) next = procedure.next(this.perform(next.value) as never);
    return next.value;
  }
}

const leaseOf = (changes: Partial<ReaderLease> = {}): ReaderLease => ({
  run: "old",
  epoch: 7,
  build: "b1",
  startedAtMs: 0,
  heartbeatMs: 0,
  ...changes,
});

const candidate = { run: "new", build: "b1" };
const seen = true;
const silent = false;

describe("takeReaderLease", () => {
  const taken = { run: "new", epoch: 8 };
  const fresh = { heartbeatMs: 1_000_000, startedAtMs: 999_000 };

  it.each<[string, Partial<ReaderLease>, boolean, object | undefined]>([
    ["that another run renews", fresh, seen, undefined],
    ["whose run is late but comes back", { ...fresh, heartbeatMs: 994_999 }, seen, taken],
    ["without a heartbeat for ten seconds", { ...fresh, heartbeatMs: 989_999 }, silent, taken],
    ["of a run with other code", { ...fresh, build: "b0" }, seen, taken],
    ["of a run with other code, if no host answers", { ...fresh, build: "b0" }, silent, undefined],
    ["of a run from before the last full ten minutes", { ...fresh, startedAtMs: 599_999 }, seen, taken],
    ["of a run since the last full ten minutes", { ...fresh, startedAtMs: 600_000 }, seen, undefined],
    [
      "of a run from before the last full ten minutes, if no host answers",
      { ...fresh, startedAtMs: 0 },
      silent,
      undefined,
    ],
    ["of a run whose own shift is over", { ...fresh, shiftMs: 1000 }, seen, taken],
    [
      "of a run whose own shift is not over",
      { ...fresh, startedAtMs: 500_000, shiftMs: 500_001 },
      seen,
      undefined,
    ],
    ["of a run that leaves other chains apart", { ...fresh, apart: ["base"] }, seen, taken],
    ["that is its own", { ...fresh, run: "new" }, silent, taken],
    ["that has ended, where a lane exists", { isEnded: true }, silent, taken],
  ])("decides whether to take a lease %s", (_, changes, isAnswered, expected) => {
    const world = new LeaseWorld();
    Object.assign(world, { lease: leaseOf(changes), nowMs: 1_000_000, hasLane: true, isAnswered });
    expect(world.run(takeReaderLease("eth", candidate))).toEqual(expected);
  });

  it("takes a chain's first or ended lease only if a lane exists", () => {
    const world = new LeaseWorld();
    expect(world.run(takeReaderLease("eth", candidate))).toBeUndefined();
    expect(world.lease).toBeUndefined();
    world.hasLane = true;
    expect(world.run(takeReaderLease("eth", candidate))).toEqual({ run: "new", epoch: 1 });
    expect(world.run(renewReaderLease("eth", { run: "new", epoch: 1 }))).toBe(true);
    world.hasLane = false;
    expect(world.run(endReading("eth", { run: "new", epoch: 1 }))).toBe(true);
    expect(world.run(takeReaderLease("eth", { run: "next", build: "b1" }))).toBeUndefined();
  });

  it("gives a run an epoch above those of runs with other leases, and the message of the run before it", () => {
    const world = new LeaseWorld();
    Object.assign(world, { lease: leaseOf({ build: "b0" }), hasLane: true });
    const lease = world.run(takeReaderLease("markets base", { ...candidate, leastEpoch: 30 }));
    expect(lease).toEqual({ run: "new", epoch: 30 });
    expect(world.run(tellNextReader("markets base", { epoch: 29 }, 5))).toBe(false);
    expect(world.run(tellNextReader("markets base", { epoch: 7 }, 5))).toBe(true);
    expect(world.run(handedOverAt("markets base", { epoch: 30 }))).toBe(5);
    world.run(leaveReading("markets base", { run: "new", epoch: 30 }));
    expect(world.lease?.isEnded).toBe(true);
  });

  it("lets only the previous run say that nothing of it is under way", () => {
    const world = new LeaseWorld();
    Object.assign(world, { lease: leaseOf({ build: "b0", handedOverMs: 5 }), hasLane: true });
    world.run(takeReaderLease("eth", candidate));
    const told = () => world.run(handedOverAt("eth", { epoch: 8 }));
    expect(told()).toBeUndefined();
    expect([6, 8].map((epoch) => world.run(tellNextReader("eth", { epoch }, 1000)))).toEqual([false, false]);
    expect(told()).toBeUndefined();
    expect(world.run(tellNextReader("eth", { epoch: 7 }, 2000))).toBe(true);
    expect([told(), world.run(handedOverAt("eth", { epoch: 7 }))]).toEqual([2000, undefined]);
  });

  it("ends the previous run's lease, which that run can no longer renew", () => {
    const world = new LeaseWorld();
    Object.assign(world, { lease: leaseOf({ build: "b0" }), hasLane: true });
    world.run(takeReaderLease("eth", candidate));
    const old = { run: "old", epoch: 7 };
    expect(world.run(renewReaderLease("eth", old))).toBe(false);
    expect(world.run(endReading("eth", old))).toBe(true);
    expect(world.lease).toMatchObject({ run: "new", epoch: 8 });
    expect(world.lease?.isEnded).toBeUndefined();
  });
});

describe("an order placed while a reader ends", () => {
  /** Places an order's lane, then looks for a reader as executeOrders does. */
  function* order(): Procedure<void> {
    yield { do: "write", step: [] };
    yield* ensureReader("eth");
  }

  /** Plays a reader that ends because it has found no lane for a long time. */
  function* ending(readers: Set<string>): Procedure<void> {
    if (!(yield* endReading("eth", { run: "old", epoch: 7 }))) readers.add("old");
  }

  /** Plays a reader that the schedule or an order has started. */
  function* started(run: string, readers: Set<string>): Procedure<void> {
    if (yield* takeReaderLease("eth", { run, build: "b1" })) readers.add(run);
  }

  it.each([
    ["while a reader ends", undefined, (readers: Set<string>) => [ending(readers)]],
    [
      "while a reader ends and a standby starts",
      undefined,
      (readers: Set<string>) => [ending(readers), started("standby", readers)],
    ],
    [
      "after a reader has ended, while a standby starts",
      true,
      (readers: Set<string>) => [started("standby", readers)],
    ],
  ])("provides an order with a reader, whatever the sequence of steps: %s", (_, isEnded, others) => {
    const outcomes = new Set<string | undefined>();
    for (const schedule of interleavings()) {
      const world = new LeaseWorld();
      world.lease = leaseOf({ isEnded });
      /** Runs that keep looking for lanes because they have the lease. */
      const readers = new Set<string>();
      const procedures = [order(), ...others(readers)];
      schedule.run(procedures, (effect) => {
        if (effect.do === "startReader") procedures.push(started("started", readers));
        return world.perform(effect);
      });
      const { lease } = world;
      const isSeen = !lease?.isEnded && readers.has(lease?.run ?? "");
      outcomes.add(isSeen ? lease?.run : "nobody");
    }
    expect(outcomes).not.toContain("nobody");
    expect(outcomes.size).toBeGreaterThan(1);
  });

  it("starts no second reader while one is reading", () => {
    const world = new LeaseWorld();
    Object.assign(world, { lease: leaseOf({ heartbeatMs: 0 }), nowMs: 10_000 });
    world.run(ensureReader("eth"));
    expect(world.starts).toBe(0);
    world.nowMs++;
    world.run(ensureReader("eth"));
    expect(world.starts).toBe(1);
  });
});
