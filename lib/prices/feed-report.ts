import type { FeedFault } from "./dialogue.ts";

/** A line of the log, or what it says apart from where it comes from. No part of a venue's message is in it. */
export type FeedLine =
  | { source: string; product: string; reason: "refused" | "not acknowledged" }
  | { source: string; insteadOf: string }
  | { source: string; fault: FeedFault; count: number };

export type FeedReport = ReturnType<typeof feedReport>;

/** Tells an operator of what went wrong in a run, each thing once. */
export function feedReport(log: (line: FeedLine) => void) {
  const absent = new Set<string>();
  const faults = new Map<string, FeedLine & { count: number }>();
  return {
    absent(source: string, product: string, reason: "refused" | "not acknowledged") {
      const key = `${source} ${product}`;
      if (absent.has(key)) return;
      absent.add(key);
      log({ source, product, reason });
    },
    instead: (source: string, insteadOf: string) => log({ source, insteadOf }),
    /** Is counted, and told at the end: a feed may be at fault many times a second. */
    fault(source: string, fault: FeedFault) {
      const key = `${source} ${fault}`;
      faults.set(key, { source, fault, count: (faults.get(key)?.count ?? 0) + 1 });
    },
    end() {
      for (const line of faults.values()) log(line);
    },
  };
}
