import { describe, expect, it } from "vitest";
import type { SolSnapshots } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import {
  isFinalSol,
  isOutdated,
  lastValidOf,
  mayLand,
  observedSol,
  type SolSlot,
  withSolSendings,
} from "../../../../lib/chains/sol/rules/slot.ts";
import { attemptOf, bothHosts, failed, filled, heightAt, seen, slotOf, snapshotOf } from "../fixtures.ts";

const two = [attemptOf("a"), attemptOf("b", { lastValidBlockHeight: 270 })];
const marked = (isThere: boolean) => new Map([["order1", isThere]]);
const [yes, no] = [marked(true), marked(false)];
const ok = filled("a");
const bad = failed("a");

const stateAfter = (slot: SolSlot, snapshots: SolSnapshots) => observedSol(slot, snapshots).state;

describe("observedSol", () => {
  it("returns the same slot if nothing has changed", () => {
    const slot = slotOf();
    expect(observedSol(slot, bothHosts())).toBe(slot);
  });

  it("accepts a fill from one host if the other may not have seen it", () => {
    const snapshots = [snapshotOf({ receipts: seen([ok]) }), snapshotOf({ ...heightAt(60) })] as const;
    expect(observedSol(slotOf(), snapshots)).toMatchObject({ state: "mined", receipts: [ok], revision: 2 });
  });

  it("ignores a fill if the other host's chain is past its block and shows no marker", () => {
    const at = (slot: number) =>
      [
        snapshotOf({ receipts: seen([ok]) }),
        snapshotOf({ height: { slot, blockHeight: 100 }, markers: no }),
      ] as const;
    expect(stateAfter(slotOf(), at(119))).toBe("mined");
    expect(stateAfter(slotOf(), at(120))).toBe("signed");
  });

  it("accepts a fill below the minimum only if both hosts agree", () => {
    const short = (received = 1n) => {
      const receipt = { ...filled("a", { received }), isBelowMinimum: true as const };
      return snapshotOf({ ...heightAt(300), markers: yes, receipts: new Map([["a", receipt]]) });
    };
    const rich = snapshotOf({ ...heightAt(300), markers: yes, receipts: seen([ok]) });
    const unseen = snapshotOf({ ...heightAt(300), markers: yes });
    for (const other of [undefined, unseen, short(2n)]) {
      expect(observedSol(slotOf(), [short(), other])).toMatchObject({ state: "signed", receipts: [] });
      expect(isFinalSol(observedSol(slotOf(), [other, short()]), [other, short()])).toBe(false);
    }
    expect(observedSol(slotOf(), [short(), rich])).toMatchObject({ state: "mined", receipts: [ok] });
    const both = [short(), short()] as const;
    const mined = observedSol(slotOf(), both);
    expect(mined).toMatchObject({ state: "mined", receipts: [filled("a", { received: 1n })] });
    expect(mined.receipts[0]).not.toHaveProperty("isBelowMinimum");
    expect(isFinalSol(mined, both)).toBe(true);
    expect(isFinalSol(mined, [short(), rich])).toBe(false);
    expect(observedSol(mined, [short(), undefined])).toBe(mined);
  });

  it("lets a slot lapse when both hosts are past the last block of all messages", () => {
    const slot = slotOf({ attempts: two });
    expect(stateAfter(slot, bothHosts(heightAt(270)))).toBe("signed");
    expect(stateAfter(slot, bothHosts(heightAt(271)))).toBe("lapsed");
    expect(stateAfter(slot, [snapshotOf(heightAt(271)), snapshotOf(heightAt(270))])).toBe("signed");
    expect(stateAfter(slot, [snapshotOf(heightAt(271)), undefined])).toBe("signed");
  });

  it("keeps a slot from lapsing while any host shows the marker", () => {
    const snapshots = [snapshotOf(heightAt(300)), snapshotOf({ ...heightAt(300), markers: yes })] as const;
    expect(stateAfter(slotOf(), snapshots)).toBe("signed");
  });

  it("lets a slot lapse when all its messages have failed in blocks", () => {
    const [one, both] = [[bad], [bad, failed("b")]];
    expect(stateAfter(slotOf({ attempts: two }), bothHosts({ receipts: seen(one) }))).toBe("signed");
    expect(stateAfter(slotOf({ attempts: two }), bothHosts({ receipts: seen(both) }))).toBe("lapsed");
  });

  it("withdraws a fill when both hosts answer without it, and at least one of them shows no marker", () => {
    const mined = slotOf({ state: "mined", receipts: [ok] });
    expect(observedSol(mined, bothHosts())).toMatchObject({ state: "signed", receipts: [] });
    expect(observedSol(mined, [snapshotOf(), undefined])).toBe(mined);
  });

  it("keeps a fill that both hosts have forgotten while both show the marker", () => {
    const mined = slotOf({ state: "mined", receipts: [ok] });
    expect(observedSol(mined, bothHosts({ ...heightAt(300), markers: yes }))).toBe(mined);
  });

  it("withdraws a fill when a host shows that another message made the marker", () => {
    const mined = slotOf({ state: "mined", attempts: two, receipts: [ok] });
    const snapshots = bothHosts({ markers: yes, receipts: seen([filled("b")]) });
    expect(observedSol(mined, snapshots)).toMatchObject({ state: "mined", receipts: [{ hash: "b" }] });
  });
});

describe("isOutdated", () => {
  it("returns true once both hosts are past the last block that may include the message", () => {
    const [last, next] = [snapshotOf(heightAt(250)), snapshotOf(heightAt(251))];
    expect(isOutdated(attemptOf("a"), [next, next])).toBe(true);
    expect(isOutdated(attemptOf("a"), [next, last])).toBe(false);
    expect(isOutdated(attemptOf("a"), [undefined, next])).toBe(false);
  });
});

describe("mayLand", () => {
  const slot = slotOf({ attempts: two });

  it("returns true until both hosts are past the last blocks of all messages", () => {
    expect(mayLand(slot, bothHosts(heightAt(270)))).toBe(true);
    expect(mayLand(slot, [snapshotOf(heightAt(271)), snapshotOf(heightAt(270))])).toBe(true);
    expect(mayLand(slot, bothHosts(heightAt(271)))).toBe(false);
  });

  it("returns false once both hosts show a fill or the failure of all messages", () => {
    const failures = seen([bad, failed("b")]);
    expect(mayLand(slot, bothHosts({ receipts: seen([ok]) }))).toBe(false);
    expect(mayLand(slot, bothHosts({ receipts: failures }))).toBe(false);
    expect(mayLand(slot, bothHosts({ receipts: seen([bad]) }))).toBe(true);
    expect(mayLand(slot, [snapshotOf({ receipts: failures }), snapshotOf()])).toBe(true);
  });
});

describe("isFinalSol", () => {
  const mined = slotOf({ state: "mined", attempts: [two[0] as (typeof two)[0]], receipts: [ok] });
  const lapsed = slotOf({ state: "lapsed", attempts: two });

  it("returns true for a fill that both hosts show", () => {
    expect(isFinalSol(mined, bothHosts({ receipts: seen([ok]) }))).toBe(true);
    expect(isFinalSol(mined, [snapshotOf({ receipts: seen([ok]) }), undefined])).toBe(false);
  });

  it("returns false while the hosts report different results", () => {
    const other = snapshotOf({ receipts: seen([filled("a", { received: 91n })]) });
    expect(isFinalSol(mined, [snapshotOf({ receipts: seen([ok]) }), other])).toBe(false);
  });

  it("waits until the order's other messages are too old", () => {
    const slot = { ...mined, attempts: two };
    const at = (height: number) => bothHosts({ ...heightAt(height), receipts: seen([ok]) });
    expect(isFinalSol(slot, at(270))).toBe(false);
    expect(isFinalSol(slot, at(271))).toBe(true);
  });

  it("returns true without a fill once both heights are past all messages, unless a host has the marker", () => {
    expect(isFinalSol(lapsed, bothHosts(heightAt(271)))).toBe(true);
    expect(isFinalSol(lapsed, bothHosts(heightAt(270)))).toBe(false);
    expect(isFinalSol(lapsed, [snapshotOf(heightAt(271)), snapshotOf(heightAt(270))])).toBe(false);
    expect(isFinalSol(lapsed, [snapshotOf(heightAt(271)), undefined])).toBe(false);
    expect(
      isFinalSol(lapsed, [snapshotOf(heightAt(271)), snapshotOf({ ...heightAt(271), markers: yes })]),
    ).toBe(false);
    expect(isFinalSol(lapsed, bothHosts({ ...heightAt(271), markers: new Map() }))).toBe(false);
  });

  it("returns true for failures that both hosts show, even if a stranger made the marker", () => {
    const slot = slotOf({ state: "lapsed", receipts: [bad] });
    expect(isFinalSol(slot, bothHosts({ markers: yes, receipts: seen([bad]) }))).toBe(true);
  });

  it("returns false for a failure that only one host claims", () => {
    const slot = { ...lapsed, receipts: [bad] };
    const claiming = snapshotOf({ ...heightAt(300), receipts: seen([bad]) });
    expect(isFinalSol(slot, [claiming, snapshotOf(heightAt(300))])).toBe(false);
  });

  it("never returns true while the marker hides the outcome", () => {
    expect(isFinalSol(slotOf(), bothHosts({ ...heightAt(10_000), markers: yes }))).toBe(false);
  });
});

describe("lastValidOf", () => {
  it("returns the last valid height of all messages in any order", () => {
    expect(lastValidOf({ attempts: two })).toBe(270);
    expect(lastValidOf({ attempts: two.toReversed() })).toBe(270);
  });
});

describe("withSolSendings", () => {
  const slot = slotOf({ attempts: two });

  it("records when each message was first sent", () => {
    const once = withSolSendings(slot, new Map([["b", 5]]));
    expect(once.attempts.map(({ sentAtMs }) => sentAtMs)).toEqual([undefined, 5]);
    expect(withSolSendings(once, new Map([["b", 9]]))).toBe(once);
  });

  it("records that no host took the newest message, until one does", () => {
    const refused = withSolSendings(slot, new Map([["b", "unreached"]] as const));
    expect(refused).toMatchObject({ isUndelivered: true });
    const taken = withSolSendings(refused, new Map([["b", 5]]));
    expect(taken).toMatchObject({ isUndelivered: false, revision: 3 });
  });

  it("records nothing in a run that sends nothing", () => {
    const away = withSolSendings(slot, new Map([["b", "unreached"]] as const));
    expect(withSolSendings(away, new Map())).toBe(away);
    expect(withSolSendings(slot, new Map([["a", "unreached"]] as const))).toBe(slot);
  });
});
