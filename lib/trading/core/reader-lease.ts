import type { Network } from "../../core/network.ts";
import { type Procedure, perform } from "./effects.ts";
import type { LeaseCondition, ReaderLease } from "./table-step.ts";

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

/** True if a run has the lease, so that it will see every lane written until now. */
const isRead = (lease: ReaderLease | undefined, nowMs: number): boolean =>
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
 * - `if lanes exist`: no run has it, because none was needed.
 * - `take`: nobody renews it any more.
 * - `after a look`: its run works, but its shift is over or it runs other code. The next one shows first that it works too.
 */
type Claim = "leave" | "wait" | "if lanes exist" | "take" | "after a look";

type Candidate = Pick<ReaderLease, "run" | "build">;

function claimOn(lease: ReaderLease | undefined, { run, build }: Candidate, nowMs: number): Claim {
  if (lease === undefined || lease.isEnded) return "if lanes exist";
  if (lease.run === run || nowMs - lease.heartbeatMs > lapsedMs) return "take";
  if (lease.build !== build || shiftAt(lease.startedAtMs) < shiftAt(nowMs)) return "after a look";
  return nowMs - lease.heartbeatMs > freshMs ? "wait" : "leave";
}

/**
 * Takes the lease of a chain if this run should read it.
 *
 * @param look Looks at the chain once. Returns false if no host answered.
 * @returns Undefined if the chain needs no other reader.
 */
export function* takeReaderLease(
  chain: Network,
  candidate: Candidate,
  look: () => Procedure<boolean>,
): Procedure<HeldLease | undefined> {
  for (;;) {
    const old = yield* perform({ do: "readReaderLease", chain });
    const claim = claimOn(old, candidate, yield* perform({ do: "now" }));
    if (claim === "leave") return undefined;
    if (claim === "wait") {
      yield* perform({ do: "pause", ms: beatMs });
      continue;
    }
    if (claim === "if lanes exist" && (yield* perform({ do: "readLanes", chain })).length === 0)
      return undefined;
    if (claim === "after a look" && !(yield* look())) return undefined;
    const nowMs = yield* perform({ do: "now" });
    const epoch = (old?.epoch ?? 0) + 1;
    const set = { ...candidate, epoch, startedAtMs: nowMs, heartbeatMs: nowMs, isEnded: undefined };
    if (yield* perform({ do: "changeReaderLease", chain, when: old && whenTaking(old, claim), set }))
      return { run: candidate.run, epoch };
    // Another run may have been faster. Or the write was this run's own, repeated after a lost answer.
  }
}

/** A run that is only late, or goes on for new lanes, keeps its lease. */
const whenTaking = ({ epoch, heartbeatMs }: ReaderLease, claim: Claim): LeaseCondition => {
  if (claim === "if lanes exist") return { epoch, isEnded: true };
  return claim === "take" ? { epoch, heartbeatMs } : { epoch };
};

/** Renews the lease. Returns false if another run has taken it. */
export function* renewReaderLease(chain: Network, { run, epoch }: HeldLease): Procedure<boolean> {
  const heartbeatMs = yield* perform({ do: "now" });
  return yield* perform({ do: "changeReaderLease", chain, when: { run, epoch }, set: { heartbeatMs } });
}

/**
 * Ends the reading of a chain without lanes. First it writes that it has ended, then it looks for lanes. An order does
 * the same in reverse: first its lane is written, then it looks for a reader. So at least one of them sees the other.
 *
 * @returns False if there are lanes, so the run goes on.
 */
export function* endReading(chain: Network, { run, epoch }: HeldLease): Procedure<boolean> {
  const when = { run, epoch };
  const isMine = yield* perform({ do: "changeReaderLease", chain, when, set: { isEnded: true } });
  if (!isMine || (yield* perform({ do: "readLanes", chain })).length === 0) return true;
  const set = { isEnded: undefined, heartbeatMs: yield* perform({ do: "now" }) };
  return !(yield* perform({ do: "changeReaderLease", chain, when, set }));
}

/**
 * Starts a reader of the chain unless there is one. The lane of the order must be written before. Many runs may do so at
 * once, so the readers that they start must not have to wait for the lease.
 */
export function* ensureReader(chain: Network): Procedure<void> {
  const lease = yield* perform({ do: "readReaderLease", chain });
  if (!isRead(lease, yield* perform({ do: "now" }))) yield* perform({ do: "startReader" });
}
