import { type Procedure, perform } from "../../orders/effects.ts";
import type { LeaseCondition, ReaderLease, ReaderOf } from "../../orders/table-step.ts";

/** Interval between heartbeats. */
export const beatMs = 2000;

/** Age of a heartbeat from which its reader may be gone. */
const freshMs = 5000;

/** Age of a heartbeat from which the lease is free. Allows for differing clocks. */
const lapsedMs = 10_000;

/**
 * Maximum duration of a shift. Unless its run has chosen a shorter one, a run hands over at the next multiple of this
 * duration, so that the next run takes the leases of all chains at once.
 */
const longestShiftMs = 600_000;

const shiftAt = (ms: number): number => Math.floor(ms / longestShiftMs);

const isShiftOver = ({ startedAtMs, shiftMs }: ReaderLease, nowMs: number): boolean =>
  shiftMs === undefined ? shiftAt(startedAtMs) < shiftAt(nowMs) : nowMs - startedAtMs >= shiftMs;

/** Time without a heartbeat after which the sweep replaces the reader. */
const missingMs = 30_000;

/** True if a run has the lease and therefore will see everything that was written until now. */
export const isRead = (lease: ReaderLease | undefined, nowMs: number): boolean =>
  lease !== undefined && !lease.isEnded && nowMs - lease.heartbeatMs <= lapsedMs;

/** True if no run has read the chain for a long time. */
export const isReaderMissing = (lease: ReaderLease | undefined, nowMs: number): boolean =>
  lease === undefined || nowMs - lease.heartbeatMs > missingMs;

/** Identifies the lease of one run. */
export type HeldLease = Pick<ReaderLease, "run" | "epoch">;

/**
 * Ways for a run to get a lease:
 * - `leave`: not at all, because another run has the lease.
 * - `wait`: the run that has the lease is late with its heartbeat.
 * - `if needed`: no run has the lease, because none was needed.
 * - `take`: the run that had the lease no longer renews it.
 * - `after a look`: the run that has the lease works, but its shift is over, its code has a different version, or it
 * leaves other chains apart. The next run must first show that it works, too.
 */
type Claim = "leave" | "wait" | "if needed" | "take" | "after a look";

export type LeaseCandidate = Pick<ReaderLease, "run" | "build" | "shiftMs" | "apart"> & {
  /** Lowest number of the run, so that its results replace those of runs with other leases. */
  leastEpoch?: number;
};

function claimOn(
  lease: ReaderLease | undefined,
  { run, build, apart }: LeaseCandidate,
  nowMs: number,
): Claim {
  if (lease === undefined || lease.isEnded) return "if needed";
  if (lease.run === run || nowMs - lease.heartbeatMs > lapsedMs) return "take";
  const isSame = lease.build === build && lease.apart?.join() === apart?.join();
  if (!isSame || isShiftOver(lease, nowMs)) return "after a look";
  return nowMs - lease.heartbeatMs > freshMs ? "wait" : "leave";
}

/**
 * Takes a lease if this run should read.
 *
 * @returns Undefined if this run is not needed.
 */
export function* takeReaderLease(
  chain: ReaderOf,
  { leastEpoch = 0, ...candidate }: LeaseCandidate,
): Procedure<HeldLease | undefined> {
  for (;;) {
    const old = yield* perform({ do: "readReaderLease", chain });
    const claim = claimOn(old, candidate, yield* perform({ do: "now" }));
    if (claim === "leave") return undefined;
    if (claim === "wait") {
      yield* perform({ do: "pause", ms: beatMs });
      continue;
    }
    if (claim === "if needed" && !(yield* perform({ do: "isReaderNeeded", chain }))) return undefined;
    if (claim === "after a look" && !(yield* perform({ do: "tryReader", chain }))) return undefined;
    const nowMs = yield* perform({ do: "now" });
    const epoch = Math.max((old?.epoch ?? 0) + 1, leastEpoch);
    const set = {
      ...candidate,
      epoch,
      startedAtMs: nowMs,
      heartbeatMs: nowMs,
      isEnded: undefined,
      handedOverMs: undefined,
      previous: old?.epoch,
    };
    if (yield* perform({ do: "changeReaderLease", chain, when: old && whenTaking(old, claim), set }))
      return { run: candidate.run, epoch };
    // Another run may have been faster. Or the write was this run's own, repeated after a lost answer.
  }
}

/**
 * Builds the condition for taking a lease. If the run that has the lease was only late, or continues because it is
 * needed again, it keeps the lease.
 */
const whenTaking = ({ epoch, heartbeatMs }: ReaderLease, claim: Claim): LeaseCondition => {
  if (claim === "if needed") return { epoch, isEnded: true };
  return claim === "take" ? { epoch, heartbeatMs } : { epoch };
};

/** Renews the lease. Returns false if another run has taken it. */
export function* renewReaderLease(chain: ReaderOf, { run, epoch }: HeldLease): Procedure<boolean> {
  const heartbeatMs = yield* perform({ do: "now" });
  return yield* perform({ do: "changeReaderLease", chain, when: { run, epoch }, set: { heartbeatMs } });
}

/** Tells the next run when this run's work will have ended. Does nothing if no run has followed. */
export function* tellNextReader(
  chain: ReaderOf,
  { epoch }: Pick<HeldLease, "epoch">,
  handedOverMs: number,
): Procedure<boolean> {
  const when = { previous: epoch };
  return yield* perform({ do: "changeReaderLease", chain, when, set: { handedOverMs } });
}

/** Returns the time that the previous run has told this one. Undefined if it has not. */
export function* handedOverAt(
  chain: ReaderOf,
  { epoch }: Pick<HeldLease, "epoch">,
): Procedure<number | undefined> {
  const lease = yield* perform({ do: "readReaderLease", chain });
  return lease?.epoch === epoch ? lease.handedOverMs : undefined;
}

/**
 * Ends a reading that nobody needs. First writes that the reading has ended, then looks for lanes, or for clients that
 * follow markets. New lanes and clients do the reverse: they write their own item, then look for a reader. So at least
 * one side sees the other.
 *
 * @returns False if the reading is needed after all, so that the run continues.
 */
export function* endReading(chain: ReaderOf, { run, epoch }: HeldLease): Procedure<boolean> {
  const when = { run, epoch };
  const isMine = yield* perform({ do: "changeReaderLease", chain, when, set: { isEnded: true } });
  if (!isMine || !(yield* perform({ do: "isReaderNeeded", chain }))) return true;
  const set = { isEnded: undefined, heartbeatMs: yield* perform({ do: "now" }) };
  return !(yield* perform({ do: "changeReaderLease", chain, when, set }));
}

/** Ends a reading that another run has taken over under another lease. */
export function* leaveReading(chain: ReaderOf, when: HeldLease): Procedure<boolean> {
  return yield* perform({ do: "changeReaderLease", chain, when, set: { isEnded: true } });
}

/**
 * Starts a reader unless one is active. Callers must write the work for the reader first. Many runs may call this at
 * once, so the readers that they start must not wait for the lease.
 */
export function* ensureReader(chain: ReaderOf): Procedure<void> {
  const lease = yield* perform({ do: "readReaderLease", chain });
  if (!isRead(lease, yield* perform({ do: "now" }))) yield* perform({ do: "startReader" });
}
