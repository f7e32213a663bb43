import { type Clock, limited, pause } from "./clock.ts";

/** A bucket that holds as many requests as the quota, and refills evenly within the window. */
type Limit = { quota: number; windowMs: number };

/** Holds back the first requests of an operation, until an answer has named its limit. */
const assumed: Limit = { quota: 20, windowMs: 20_000 };
/** Part of a limit that is used. The rest allows for requests that arrive closer together than they were sent. */
const usedPart = 0.95;
/** The first request in a queue looks again after this time, because an answer may have named another limit. */
const lookAgainMs = 250;

/** Lets requests pass within one limit, in the order in which they come. */
class Gate {
  readonly #clock: Clock;
  limit: Limit | undefined;
  /** Time at which the bucket is full again. */
  #fullAtMs = 0;
  #queued = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, limit?: Limit) {
    this.#clock = clock;
    this.limit = limit;
  }

  /** Lets a request pass, or returns how many milliseconds too long it would have to wait. */
  async pass(endMs: number, signal: AbortSignal | undefined): Promise<number> {
    const waitMs = this.#waitMs(this.#queued + 1);
    if (this.#isTooLong(waitMs, endMs)) return waitMs;
    this.#queued++;
    const turn = this.#turn.then(() => this.#take(endMs, signal));
    this.#turn = turn;
    return limited(this.#clock, { signal }, turn).catch(() => 0);
  }

  /** Applies a limit to past requests, too. Undefined removes the limit. */
  learn(limit: Limit | undefined): void {
    if (this.limit && limit) this.#use((this.#usedMs() / costMs(this.limit)) * costMs(limit));
    this.limit = limit;
  }

  /** Empties the bucket until a time that the service has named. */
  empty(forMs: number): void {
    this.limit ??= assumed;
    this.#use(Math.max(this.#usedMs(), forMs + this.limit.windowMs - costMs(this.limit)));
  }

  async #take(endMs: number, signal: AbortSignal | undefined): Promise<number> {
    let waitMs = 0;
    while (!signal?.aborted) {
      waitMs = this.#waitMs(1);
      if (waitMs <= 0 || this.#isTooLong(waitMs, endMs)) break;
      await pause(this.#clock, Math.min(waitMs, lookAgainMs), signal);
    }
    this.#queued--;
    if (waitMs > 0 || signal?.aborted || !this.limit) return waitMs;
    this.#use(this.#usedMs() + costMs(this.limit));
    return 0;
  }

  /** Computes how long the last of this many requests has to wait. */
  #waitMs(requests: number): number {
    return this.limit ? Math.ceil(this.#usedMs() + requests * costMs(this.limit) - this.limit.windowMs) : 0;
  }

  #use(usedMs: number): void {
    this.#fullAtMs = this.#clock.nowMs() + usedMs;
  }

  /** Computes how long the bucket takes to be full again. */
  #usedMs(): number {
    return Math.max(0, this.#fullAtMs - this.#clock.nowMs());
  }

  /** An assumed limit says nothing about how long a request has to wait. */
  #isTooLong(waitMs: number, endMs: number): boolean {
    const leastMs = this.limit === assumed ? 0 : waitMs;
    return waitMs > 0 && this.#clock.nowMs() + leastMs >= endMs;
  }
}

/** Computes the time in which a bucket gains one request. */
const costMs = ({ quota, windowMs }: Limit) => windowMs / Math.max(1, quota * usedPart);

/** Lets requests wait until the plan of the user and the operation's own limit allow them. */
export class Pacer {
  readonly #clock: Clock;
  readonly #plan: Gate;
  readonly #operations = new Map<string, Gate>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#plan = new Gate(clock);
  }

  /** Lets a request pass, or returns how many milliseconds it would have to wait if that ends after `endMs`. */
  async pass(operation: string, endMs: number, signal: AbortSignal | undefined): Promise<number> {
    return (await this.#gateOf(operation).pass(endMs, signal)) || this.#plan.pass(endMs, signal);
  }

  /**
   * Learns the limits that an answer names: first the plan's, then the operation's own, if it has one. A 429 names none,
   * but says when to come back.
   */
  learn(operation: string, policy: string | null | undefined, emptyForMs: number | undefined): void {
    const own = this.#gateOf(operation);
    const [ofPlan, ofOperation] = [...(policy ?? "").matchAll(/"[^"]*";q=(\d+);w=(\d+)/g)].map(
      ([, quota, seconds]) => ({ quota: Number(quota), windowMs: Number(seconds) * 1000 }),
    );
    if (ofPlan) {
      this.#plan.learn(ofPlan);
      own.learn(ofOperation);
    }
    if (emptyForMs !== undefined) (own.limit || !this.#plan.limit ? own : this.#plan).empty(emptyForMs);
    else if (own.limit === assumed) own.learn(undefined);
  }

  #gateOf(operation: string): Gate {
    const gate = this.#operations.get(operation) ?? new Gate(this.#clock, assumed);
    this.#operations.set(operation, gate);
    return gate;
  }
}
