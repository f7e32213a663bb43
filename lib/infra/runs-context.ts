import * as v from "valibot";
import { type OperationName, operations } from "../operations/operations.ts";
import type { Operation } from "../operations/types.ts";
import { json, wholeWithin } from "./context-values.ts";

/** Functions that no other one should keep from running: they let users in, stop a thief, or sign. */
const reservable = [
  "authorize",
  "authorizeConnection",
  "cancelOrder",
  "cancelOrders",
  "cancelExport",
  "lockExports",
  "signTransaction",
] as const satisfies OperationName[];

/** Runs that Lambda keeps for all functions without a reservation. It refuses reservations that would leave fewer. */
export const unreservedRuns = 100;

export type ReservedRuns = Partial<Record<OperationName, number>>;

const Runs = wholeWithin(1, 10_000);

const forms = `must be a whole number from 1 to 10000, or an object of such numbers for ${reservable.join(", ")}`;

/** Keys of the context about runs that are kept for single functions. */
export const runsContext = {
  reservedRuns: v.optional(json(v.union([Runs, v.record(v.picklist(reservable), Runs)], forms)), {}),
};

type Context = {
  reservedRuns: number | ReservedRuns;
  concurrentRuns: number;
  trading: readonly unknown[];
  walletExport: boolean;
  devices: boolean;
};

/** Runs to reserve for each function that is deployed. A single number counts for each of them. */
export function reservedRunsOf({
  reservedRuns,
  trading,
  walletExport,
  devices,
}: Omit<Context, "concurrentRuns">): ReservedRuns {
  const isOn: Record<Operation["deployed"], boolean> = {
    always: true,
    "with trading": trading.length > 0,
    "with markets": false,
    "with export": walletExport,
    "with devices": devices,
    "with earning": false,
  };
  const deployed = reservable.filter((name) => isOn[operations[name].deployed]);
  const runsOf = (name: OperationName) =>
    typeof reservedRuns === "number" ? reservedRuns : reservedRuns[name];
  return Object.fromEntries(
    deployed.flatMap((name) => {
      const runs = runsOf(name);
      return runs === undefined ? [] : [[name, runs]];
    }),
  );
}

/** Finds reservations that Lambda refuses. */
export function runsProblems({ concurrentRuns, ...context }: Context): string[] {
  const total = Object.values(reservedRunsOf(context)).reduce((sum, runs) => sum + runs, 0);
  const most = Math.max(0, concurrentRuns - unreservedRuns);
  return total <= most
    ? []
    : [
        `reservedRuns add up to ${total}; at most ${most} of concurrentRuns are allowed, because Lambda keeps ${unreservedRuns} for other functions`,
      ];
}
