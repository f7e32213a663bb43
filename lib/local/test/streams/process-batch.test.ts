import { describe, expect, it } from "vitest";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import type { Change } from "../../src/streams/change.ts";
import { type BatchOptions, type Discarded, processBatch } from "../../src/streams/process-batch.ts";
import { testClock } from "../fixtures/clock.ts";

const defaults: BatchOptions = {
  reportsItemFailures: true,
  bisects: false,
  maximumRetries: 2,
  maximumAgeMs: 3600_000,
};

const ok: InvokeResult = { payload: "null" };
const threw: InvokeResult = { payload: '{"errorType":"E"}', functionError: "Unhandled" };
const failedAt = (sequenceNumber: string): InvokeResult => ({
  payload: JSON.stringify({ batchItemFailures: [{ itemIdentifier: sequenceNumber }] }),
});

/** Handles records with these names, all created at the same time, and logs the events in order. */
function run(
  names: string,
  stated: Partial<BatchOptions>,
  handle: (names: string, attempt: number, end: () => void) => InvokeResult | Error,
) {
  const { clock, advance } = testClock();
  const ending = new AbortController();
  const happened: string[] = [];
  const discarded: Discarded[] = [];
  const named = (changes: readonly Change[]) => changes.map(({ sequenceNumber }) => sequenceNumber).join("");
  const changes = [...names].map(
    (sequenceNumber): Change => ({
      sequenceNumber,
      createdAt: clock.now(),
      event: {},
      size: 1,
      partition: 0,
    }),
  );
  let attempts = 0;
  const over = processBatch(
    changes,
    { ...defaults, ...stated },
    {
      clock,
      signal: ending.signal,
      invoke: async (batch) => {
        happened.push(`try ${named(batch)}`);
        const result = handle(named(batch), ++attempts, () => ending.abort());
        if (result instanceof Error) throw result;
        return result;
      },
      done: (batch) => batch.length > 0 && happened.push(`done ${named(batch)}`),
      discard: (records) => {
        happened.push(`discard ${named(records.changes)}`);
        discarded.push(records);
      },
    },
  );
  return { over, advance, ending, happened, discarded };
}

describe("processBatch", () => {
  it("finishes a batch after the function has handled it", async () => {
    const { over, happened } = run("abc", {}, () => ok);
    await over;
    expect(happened).toEqual(["try abc", "done abc"]);
  });

  it("retries a failed batch as a whole, after pauses that double", async () => {
    const { advance, happened } = run("ab", { maximumRetries: 3 }, (_, attempt) =>
      attempt < 4 ? threw : ok,
    );
    await advance();
    expect(happened).toEqual(["try ab"]);
    await advance(99);
    expect(happened).toHaveLength(1);
    await advance(1);
    expect(happened).toHaveLength(2);
    await advance(199);
    expect(happened).toHaveLength(2);
    await advance(401);
    expect(happened).toEqual(["try ab", "try ab", "try ab", "try ab", "done ab"]);
  });

  it("pauses for five seconds at most", async () => {
    const { advance, happened } = run("a", { maximumRetries: 40 }, () => threw);
    await advance(100 + 200 + 400 + 800 + 1600 + 3200);
    expect(happened).toHaveLength(7);
    await advance(4999);
    expect(happened).toHaveLength(7);
    await advance(1);
    expect(happened).toHaveLength(8);
  });

  it("gives up a batch without retries left and finishes it", async () => {
    const { advance, happened, discarded } = run("ab", {}, () => threw);
    await advance(60_000);
    expect(happened).toEqual(["try ab", "try ab", "try ab", "discard ab", "done ab"]);
    expect(discarded).toMatchObject([{ condition: "RetryAttemptsExhausted", invocations: 3, result: threw }]);
  });

  it("gives up at once if no retries are configured", async () => {
    const { over, happened } = run("ab", { maximumRetries: 0 }, () => threw);
    await over;
    expect(happened).toEqual(["try ab", "discard ab", "done ab"]);
  });

  it("gives up at the maximum age if retries are unlimited", async () => {
    const { advance, happened, discarded } = run(
      "a",
      { maximumRetries: Infinity, maximumAgeMs: 60_000 },
      () => threw,
    );
    await advance(59_000);
    expect(happened).not.toContain("discard a");
    await advance(10_000);
    expect(happened.slice(-2)).toEqual(["discard a", "done a"]);
    expect(discarded).toMatchObject([{ condition: "RecordAgeExceeded", result: threw }]);
  });
});

describe("a failure reported by the function", () => {
  it("finishes the records before a reported failure and retries from there", async () => {
    const { advance, happened } = run("abcd", {}, (_, attempt) => (attempt === 1 ? failedAt("c") : ok));
    await advance(1000);
    expect(happened).toEqual(["try abcd", "done ab", "try cd", "done cd"]);
  });

  it("restarts the count of retries if a later record fails", async () => {
    const { advance, happened } = run("abc", { maximumRetries: 1 }, (names, attempt) => {
      if (attempt === 1) return failedAt("b");
      return names.startsWith("b") ? failedAt("c") : ok;
    });
    await advance(1000);
    expect(happened).toEqual(["try abc", "done a", "try bc", "done b", "try c", "done c"]);
  });

  it("treats the whole batch as failed if the answer is malformed", async () => {
    const { advance, happened } = run("ab", { maximumRetries: 1 }, () => ({ payload: '"fine"' }));
    await advance(1000);
    expect(happened).toEqual(["try ab", "try ab", "discard ab", "done ab"]);
  });
});

describe("bisecting", () => {
  const poison = (names: string) => (names.includes("c") ? threw : ok);

  it("finds the failing record, gives up only that one and keeps the order", async () => {
    const { advance, happened, discarded } = run("abcdefgh", { bisects: true }, poison);
    await advance(60_000);
    expect(happened).toEqual([
      ...["try abcdefgh", "try abcd", "try ab", "done ab", "try cd"],
      ...["try c", "try c", "try c", "discard c", "done c"],
      ...["try d", "done d", "try efgh", "done efgh"],
    ]);
    expect(discarded[0]?.changes.map(({ sequenceNumber }) => sequenceNumber)).toEqual(["c"]);
  });

  it("counts no retry for a split", async () => {
    const { over, happened } = run("abcd", { bisects: true, maximumRetries: 0 }, poison);
    await over;
    expect(happened).toEqual([
      "try abcd",
      "try ab",
      "done ab",
      "try cd",
      "try c",
      "discard c",
      "done c",
      "try d",
      "done d",
    ]);
  });

  it("splits at the reported failure, or in the middle if that is the first record", async () => {
    const { advance, happened } = run("abcde", { bisects: true, maximumRetries: 0 }, (names) =>
      names.includes("c") ? failedAt("c") : ok,
    );
    await advance(60_000);
    expect(happened).toEqual([
      ...["try abcde", "done ab", "try cde", "try cd", "try c", "discard c", "done c"],
      ...["try d", "done d", "try e", "done e"],
    ]);
  });
});

describe("the maximum age of records", () => {
  it("passes no record over the maximum age to the function", async () => {
    const { over, happened, discarded } = run("ab", { maximumAgeMs: -1 }, () => ok);
    await over;
    expect(happened).toEqual(["discard ab", "done ab"]);
    expect(discarded).toMatchObject([{ condition: "RecordAgeExceeded", invocations: 0, result: undefined }]);
  });

  it("still handles younger records after old ones", async () => {
    const { clock } = testClock();
    const seen: string[] = [];
    const change = (sequenceNumber: string, age: number): Change => {
      return { sequenceNumber, createdAt: clock.now() - age, event: {}, size: 1, partition: 0 };
    };
    await processBatch(
      [change("a", 61_000), change("b", 59_000)],
      { ...defaults, maximumAgeMs: 60_000 },
      {
        clock,
        signal: new AbortController().signal,
        invoke: async (batch) => {
          seen.push(...batch.map(({ sequenceNumber }) => sequenceNumber));
          return ok;
        },
        done: () => {},
        discard: () => {},
      },
    );
    expect(seen).toEqual(["b"]);
  });
});

describe("a function that cannot be invoked", () => {
  it("uses up no retries if a function cannot be invoked", async () => {
    const { advance, happened } = run("a", { maximumRetries: 0 }, (_, attempt) =>
      attempt < 3 ? new Error() : ok,
    );
    await advance(60_000);
    expect(happened).toEqual(["try a", "try a", "try a", "done a"]);
  });
});

describe("batches after an abort", () => {
  it("ignores the function's answer once the signal is aborted", async () => {
    const { over, happened } = run("ab", { maximumRetries: 0 }, (_names, _attempt, end) => {
      end();
      return threw;
    });
    await over;
    expect(happened).toEqual(["try ab"]);
  });

  it("ends a pause without another try once the signal is aborted", async () => {
    const { over, advance, ending, happened } = run("ab", {}, () => threw);
    await advance();
    ending.abort();
    await over;
    expect(happened).toEqual(["try ab"]);
  });
});
