import { describe, expect, it } from "vitest";
import { playSolRestings, type SolPlot } from "./sol-history.ts";
import { type SolSystem, solSystem } from "./sol-world.ts";

/** Number of histories of each kind. `FULL=1` plays many more. */
const count = process.env.FULL === undefined ? 25 : 400;

const plots: Readonly<Record<string, SolPlot>> = {
  "slow hosts, forks and kills": {},
  "a host that lies": { isLiar: true },
  "receipts that are behind": { isTorn: true },
  "a stranger's deposits on markers": { deposits: true },
  "a price that jumps between both legs": { whips: true },
  cancellations: { cancels: true },
  "an executeOrders that asks for clears": { clears: true, cancels: true },
  "a fireOrders that was taken over": { intruder: "fireOrders", cancels: true },
};

const wanted = [
  ...["limit", "stop"].map((kind) => `fire: ${kind}`),
  ...["failed", "lapsed", "replaced", "filled"].map((outcome) => `outcome: ${outcome}`),
  ...["parent: done CANCELLED_BY_USER", "two legs out", "taken back"],
];

type SolMutant = {
  system: Partial<SolSystem>;
  /** Histories in which the fault shows. */
  plot: SolPlot;
  /** The first history that shows it, if it shows late. */
  from?: number;
  /** How it shows, if other ways would be worse. */
  fault?: string;
};

const mutants: Readonly<Record<string, SolMutant>> = {
  "gives each child a marker of its own": {
    system: { markerOf: ({ orderId }) => orderId },
    plot: { whips: true },
  },
  "counts a deposit as a marker": { system: { countsDeposits: true }, plot: { deposits: true } },
  "clears a child whose parent rests on": {
    system: {
      objection: (facts, nowMs) =>
        facts.purpose === "clear" ? undefined : solSystem.objection(facts, nowMs),
    },
    plot: { clears: true },
    fault: "ends although it could fill",
  },
  "signs after a cancellation": {
    system: { objection: (facts, nowMs) => solSystem.objection({ ...facts, isCancelled: false }, nowMs) },
    plot: { intruder: "fireOrders", cancels: true },
  },
};

describe("resting orders on Solana in the model", () => {
  const reached = new Set<string>();

  it.each(Object.entries(plots))("fill once, by their terms, despite %s", (_, plot) => {
    playSolRestings({ from: 1, count, plot }, reached);
  });

  it("reach all that can happen to them", () => {
    expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
  });

  it.each(Object.entries(mutants))("fail with a service that %s", (_, { system, plot, from = 1, fault }) => {
    const play = () => playSolRestings({ from, count: 1000, plot, system: { ...solSystem, ...system } });
    expect(play).toThrow(new RegExp(`^history \\d+: .*${fault ?? ""}`));
  });
});
