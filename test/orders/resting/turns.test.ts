import { describe, expect, it } from "vitest";
import { type DueOrder, Turns } from "../../../lib/orders/resting/turns.ts";

describe("Turns", () => {
  const due = (userID: string, token: string, sinceMs: number, count = 1): DueOrder[] =>
    Array.from({ length: count }, (_, index) => ({
      chain: "base" as const,
      token,
      userID,
      sinceMs,
      purpose: "fire" as const,
      asks: sinceMs,
      orderId: `${userID} ${token} ${index}`,
      wallet: "w",
    }));

  it("takes the order that has been due for longest, with others of its token", () => {
    const chosen = new Turns().next([...due("a", "A", 2), ...due("b", "B", 1), ...due("c", "B", 3)]);
    expect(chosen.map(({ orderId }) => orderId)).toEqual(["b B 0", "c B 0"]);
  });

  it("takes those that ask least first, among orders of a token", () => {
    const orders = [5, 1, 3].map((asks) => ({ ...(due(`asks ${asks}`, "T", 1)[0] as DueOrder), asks }));
    expect(new Turns().next(orders).map(({ asks }) => asks)).toEqual([1, 3, 5]);
  });

  it("hands over at most 48 orders, one of each user before a second one of any", () => {
    const chosen = new Turns().next([
      ...due("crowd", "T", 1, 100),
      ...due("b", "T", 2),
      ...due("c", "T", 3, 2),
    ]);
    expect(chosen).toHaveLength(48);
    expect(chosen.slice(0, 3).map(({ userID }) => userID)).toEqual(["crowd", "b", "c"]);
  });

  it("prefers users who had no turn yet, and users whose orders fire", () => {
    const turns = new Turns();
    const all = [...due("dust", "A", 1, 2), ...due("honest", "B", 5), ...due("new", "C", 9)];
    const next = () => turns.next(all)[0]?.userID;
    expect(next()).toBe("dust");
    turns.begin(due("dust", "A", 1), 100);
    turns.end("dust", [false]);
    expect(next()).toBe("honest");
    turns.begin(due("honest", "B", 5), 200);
    turns.end("honest", [true]);
    expect(next()).toBe("new");
    turns.begin(due("new", "C", 9), 300);
    expect(next()).toBe("honest");
  });

  it("does not disadvantage a user who had nothing to fire", () => {
    const turns = new Turns();
    turns.end("a", []);
    turns.end("b", [false]);
    expect(turns.next([...due("b", "B", 1), ...due("a", "A", 2)])[0]?.userID).toBe("a");
  });

  it("gives a user whose marks rise all the time no turn before another user whose stop has not fired yet", () => {
    const turns = new Turns();
    turns.end("victim", [false]);
    const marks = due("pump", "A", 1).map((order) => ({ ...order, purpose: "raise" as const }));
    turns.begin(marks, 100);
    expect(turns.next([...marks, ...due("victim", "B", 2)])[0]?.userID).toBe("victim");
    const same = [...marks, ...due("victim", "A", 2), ...due("new", "A", 3)];
    expect(turns.next(same).map(({ userID }) => userID)).toEqual(["new", "pump", "victim"]);
  });

  it("gives 99 users with orders that cannot fill no turn before a user whose order can fire", () => {
    const turns = new Turns();
    const crowd = Array.from({ length: 99 }, (_, user) => due(`u${user}`, `T${user}`, user, 20)).flat();
    for (const order of crowd) turns.end(order.userID, [false]);
    expect(turns.next([...crowd, ...due("late", "X", 1000)])[0]?.userID).toBe("late");
  });

  it("looks first at the order that has been due for longest, however much it asks for", () => {
    const crowd = Array.from({ length: 60 }, (_, user) => due(`u${user}`, "T", 100 + user)).flat();
    const looks = [...crowd, ...due("old", "T", 1)].map((order) => ({
      ...order,
      purpose: "look" as const,
      asks: order.userID === "old" ? 9 : 1,
    }));
    expect(new Turns().next(looks)[0]?.userID).toBe("old");
  });

  it("leaves a third of a place to orders that may fire, to looks and to checks each", () => {
    const kinds = (["fire", "look", "check"] as const).map((purpose) =>
      due(purpose, "T", 1, 100).map((order) => ({ ...order, purpose })),
    );
    const turns = new Turns();
    turns.end("fire", [false]);
    for (const all of [kinds, kinds.toReversed()]) {
      const chosen = turns.next(all.flat()).map(({ purpose }) => purpose);
      const counts = [...Map.groupBy(chosen, (purpose) => purpose).values()].map(({ length }) => length);
      expect(counts).toEqual([16, 16, 16]);
    }
  });

  it("looks at a new buy's exit before it checks those of a token whose exits all rest", () => {
    const checks = due("old", "A", 1, 100).map((order) => ({ ...order, purpose: "check" as const }));
    const looks = due("new", "B", 2).map((order) => ({ ...order, purpose: "look" as const }));
    expect(new Turns().next([...checks, ...looks])[0]?.userID).toBe("new");
  });

  it("hands over an order of a user whose orders fill before 48 others that ask less and do not fill", () => {
    const turns = new Turns();
    const crowd = Array.from({ length: 60 }, (_, user) => due(`u${user}`, "T", user)).flat();
    for (const order of crowd) turns.end(order.userID, [false]);
    expect(turns.next([...crowd, ...due("late", "T", 1000)])[0]?.userID).toBe("late");
  });
});
