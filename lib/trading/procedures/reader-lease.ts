import { type Procedure, perform } from "../../orders/effects.ts";
import type { LeaseCondition, ReaderLease, ReaderOf } from "../../orders/table-step.ts";

/** The interval of heartbeats. */
export const beatMs = 2000;

/** With an older heartbeat, a reader may be gone. */
const freshMs = 5000;

/** A lease with an older heartbeat is free. This leaves time for clocks that differ. */
const lapsedMs = 10_000;

/** Runs hand over when a multiple of this time has passed: the next run takes the leases of all chains at once. */
const shiftMs = 600_000;

const shiftAt = (ms: number): number => Math.floor(ms / shiftMs);

/** After this time without a heartbeat, the sweep takes the place of the reader. */
const missingMs = 30_000;

/** True if a run has the lease, so that it will see everything written until now. */
export const isRead = (lease: ReaderLease | undefined, nowMs: number): boolean =>
  lease !== undefined && !lease.isEnded && nowMs - lease.heartbeatMs <= lapsedMs;

/** True if no run has read the chain for long. */
export const isReaderMissing = (lease: ReaderLease | undefined, nowMs: number): boolean =>
  lease === undefined || nowMs - lease.heartbeatMs > missingMs;

/** Identifies the lease of one run. */
export type HeldLease = Pick<ReaderLease, "run" | "epoch">;

/**
 * How a run comes to a lease:
 * - `leave`: another run has it.
 * - `wait`: the run that has it is late with its heartbeat.
 * - `if needed`: no run has it, because none was needed.
 * - `take`: nobody renews it any more.
 * - `after a look`: its run works, but its shift is over or it runs other code. The next one shows first that it works too.
 */
type Claim = "leave" | "wait" | "if needed" | "take" | "after a look";

type Candidate = Pick<ReaderLease, "run" | "build">;

function claimOn(lease: ReaderLease | undefined, { run, build }: Candidate, nowMs: number): Claim {
  if (lease === undefined || lease.isEnded) return "if needed";
  if (lease.run === run || nowMs - lease.heartbeatMs > lapsedMs) return "take";
  if (lease.build !== build || shiftAt(lease.startedAtMs) < shiftAt(nowMs)) return "after a look";
  return nowMs - lease.heartbeatMs > freshMs ? "wait" : "leave";
}

/**
 * Takes a lease if this run should read.
 *
 * @returns Undefined if no other reader is needed.
 */
export function* takeReaderLease(chain: ReaderOf, candidate: Candidate): Procedure<HeldLease | undefined> {
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
    const epoch = (old?.epoch ?? 0) + 1;
    const set = { ...candidate, epoch, startedAtMs: nowMs, heartbeatMs: nowMs, isEnded: undefined };
    if (yield* perform({ do: "changeReaderLease", chain, when: old && whenTaking(old, claim), set }))
      return { run: candidate.run, epoch };
    // Another run may have been faster. Or the write was this run's own, repeated after a lost answer.
  }
}

/** A run that is only late, or goes on because it is needed again, keeps its lease. */
const whenTaking = ({ epoch, heartbeatMs }: ReaderLease, claim: Claim): LeaseCondition => {
  if (claim === "if needed") return { epoch, isEnded: true };
  return claim === "take" ? { epoch, heartbeatMs } : { epoch };
};

/** Renews the lease. Returns false if another run has taken it. */
export function* renewReaderLease(chain: ReaderOf, { run, epoch }: HeldLease): Procedure<boolean> {
  const heartbeatMs = yield* perform({ do: "now" });
  return yield* perform({ do: "changeReaderLease", chain, when: { run, epoch }, set: { heartbeatMs } });
}

/**
 * Ends a reading that nobody needs. First it writes that it has ended, then it looks for lanes, or clients that follow
 * markets. They do the same in reverse: first their own item is written, then they look for a reader. So at least one of
 * them sees the other.
 *
 * @returns False if it is needed after all, so the run goes on.
 */
export function* endReading(chain: ReaderOf, { run, epoch }: HeldLease): Procedure<boolean> {
  const when = { run, epoch };
  const isMine = yield* perform({ do: "changeReaderLease", chain, when, set: { isEnded: true } });
  if (!isMine || !(yield* perform({ do: "isReaderNeeded", chain }))) return true;
  const set = { isEnded: undefined, heartbeatMs: yield* perform({ do: "now" }) };
  return !(yield* perform({ do: "changeReaderLease", chain, when, set }));
}

/**
 * Starts a reader unless there is one. What it is to read must be written before. Many runs may do so at once, so the
 * readers that they start must not have to wait for the lease.
 */
export function* ensureReader(chain: ReaderOf): Procedure<void> {
  const lease = yield* perform({ do: "readReaderLease", chain });
  if (!isRead(lease, yield* perform({ do: "now" }))) yield* perform({ do: "startReader" });
}
