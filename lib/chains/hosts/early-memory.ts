import { RecentMap } from "../../core/recent-map.ts";

/** Time for which a value is remembered after a quote in two requests. */
const rememberedMs = 5 * 60_000;

/**
 * Number of useless early calls in a row after which none are made, and the time without any after that, because hosts
 * bill them too.
 */
const mostUseless = 2;
const restMs = 60_000;

/** A remembered value, and the time until which it counts. */
export type Remembered<Value> = { value: Value; untilMs: number };

/** The value is absent while a quote uses it, and during a rest. */
type Entry<Value> = { known?: Remembered<Value>; untilMs: number; timesUseless: number };

/**
 * Remembers from a host's quotes which calls the second request of a quote makes, so that the first request of a later
 * one can make them.
 */
export class EarlyMemory<Value> {
  readonly #entries: RecentMap<string, Entry<Value>>;
  readonly nowMs: () => number;

  /** @param most Maximum number of values. */
  constructor(most: number, nowMs: () => number = Date.now) {
    this.#entries = new RecentMap(most);
    this.nowMs = nowMs;
  }

  /** Returns a value. It counts as useless until it is kept again. */
  take(name: string): Remembered<Value> | undefined {
    const { known, timesUseless = 0 } = this.#fresh(name) ?? {};
    if (known !== undefined)
      this.#entries.set(name, { untilMs: this.nowMs() + restMs, timesUseless: timesUseless + 1 });
    return known;
  }

  /**
   * Remembers a value, unless earlier ones were useless too often.
   *
   * @param taken The value that was taken before, if it was useful. The new one is remembered for as long.
   */
  keep(name: string, value: Value, taken?: Remembered<Value>): void {
    const { timesUseless = 0 } = taken ? {} : (this.#fresh(name) ?? {});
    if (timesUseless >= mostUseless) return;
    const untilMs = taken?.untilMs ?? this.nowMs() + rememberedMs;
    this.#entries.set(name, { known: { value, untilMs }, untilMs, timesUseless });
  }

  #fresh(name: string): Entry<Value> | undefined {
    const entry = this.#entries.get(name);
    return entry !== undefined && this.nowMs() < entry.untilMs ? entry : undefined;
  }
}

/** Keeps one memory per host, so that no host decides what another one is asked. */
export function memoryPerHost<Memory>(open: () => Memory): (host: object) => Memory {
  const memories = new WeakMap<object, Memory>();
  return (host) => {
    const memory = memories.get(host) ?? open();
    memories.set(host, memory);
    return memory;
  };
}
