import { describe, expect, it } from "vitest";
import { playRestings, type RestingPlot } from "./resting-history.ts";

/** Number of histories of each kind. `FULL=1` plays ten thousand in all. */
const count = process.env.FULL === undefined ? 60 : 900;

const plots: Readonly<Record<string, RestingPlot>> = {
  "slow hosts, reorganisations, foreign transactions and kills": {},
  "a host that lies": { isLiar: true },
  "receipts that are behind": { isTorn: true },
  "hosts without old states": { forgets: true, isTorn: true },
  cancellations: { cancels: true },
  "exits of a buy": { exits: true },
  "exits, of an executeOrders that was taken over": { exits: true, intruder: "executeOrders" },
  "exits, of a fireOrders that was taken over": { exits: true, intruder: "fireOrders", cancels: true },
  "an early expiry": { expires: true },
  "a price that touches a limit again and again": { hovers: true },
  "a stop that follows the price": { trails: true },
  "a stop that follows the price of a host that lies": { trails: true, isLiar: true },
  "slices among other orders": { slices: true },
  "slices and cancellations": { slices: true, cancels: true },
  "slices of a fireOrders that was taken over": { slices: true, intruder: "fireOrders" },
  "forks in which a swap may fail or fill": { forks: true },
  "a limit that spends all its fees": { hovers: true, fees: 40n },
  "a restored table": { restores: true },
  "a fireOrders that was taken over": { intruder: "fireOrders", cancels: true, expires: true },
  "an executeOrders that was taken over": { intruder: "executeOrders", cancels: true },
};

const wanted = [
  ...["gain", "loss"].map((kind) => `fire: ${kind}`),
  ...["parent: pending", "birth: resting", "birth: suspended"],
  ...["failed", "cleared", "unused", "foreign"].map((how) => `dead: ${how}`),
  ...["limit", "stop", "trailing", "slice"].map((kind) => `fire: ${kind}`),
  ...["failed", "lapsed", "unsent", "yielded", "filled"].map((outcome) => `outcome: ${outcome}`),
  ...["CANCELLED_BY_USER", "EXPIRED", "MANDATE_VOID"].map((reason) => `parent: done ${reason}`),
  "parent: ended CANCELLED_BY_USER",
  ...[
    "yield",
    "mark",
    "two slices out",
    "a slice is missed",
    "settled",
    "restored",
    "taken back",
    "lost to another run",
  ],
];

describe("resting orders in the model", () => {
  const reached = new Set<string>();

  it.each(Object.entries(plots))("fill once, by their terms, despite %s", (_, plot) => {
    playRestings({ from: 1, count, plot }, reached);
  });

  it("go through everything that can happen to them", () => {
    expect([...wanted].filter((each) => !reached.has(each))).toEqual([]);
  });
});
