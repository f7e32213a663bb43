import { describe, expect, test } from "vitest";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import type { Change } from "../../src/streams/change.ts";
import { type BatchSettings, type Discarded, processBatch } from "../../src/streams/process-batch.ts";
import { testClock } from "../events/test-clock.ts";

const settings: BatchSettings = {
  reportsItemFailures: true,
  bisects: false,
  maximumRetries: 2,
  maximumAge: 3600_000,
};

const ok: InvokeResult = { payload: "null" };
const threw: InvokeResult = { payload: '{"errorType":"E"}', functionError: "Unhandled" };
const failedAt = (sequenceNumber: string): InvokeResult => ({
  payload: JSON.stringify({ batchItemFailures: [{ itemIdentifier: sequenceNumber }] }),
});

/** Handles records with the given names, each made at the same moment, and keeps what happens in order. */
function run(
  names: string,
  stated: Partial<BatchSettings>,
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
    { ...settings, ...stated },
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
      discard: (what) => {
        happened.push(`discard ${named(what.changes)}`);
        discarded.push(what);
      },
    },
  );
  return { over, advance, ending, happened, discarded };
}

test("a batch that is handled is done", async () => {
  const { over, happened } = run("abc", {}, () => ok);
  await over;
  expect(happened).toEqual(["try abc", "done abc"]);
});

test("a batch that fails is tried again as a whole, after pauses that double", async () => {
  const { advance, happened } = run("ab", { maximumRetries: 3 }, (_, attempt) => (attempt < 4 ? threw : ok));
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

test("pauses end at five seconds", async () => {
  const { advance, happened } = run("a", { maximumRetries: 40 }, () => threw);
  await advance(100 + 200 + 400 + 800 + 1600 + 3200);
  expect(happened).toHaveLength(7);
  await advance(4999);
  expect(happened).toHaveLength(7);
  await advance(1);
  expect(happened).toHaveLength(8);
});

test("with its retries used up, a batch is given up, and is through", async () => {
  const { advance, happened, discarded } = run("ab", {}, () => threw);
  await advance(60_000);
  expect(happened).toEqual(["try ab", "try ab", "try ab", "discard ab", "done ab"]);
  expect(discarded).toMatchObject([{ condition: "RetryAttemptsExhausted", invocations: 3, result: threw }]);
});

test("no retries is no second try", async () => {
  const { over, happened } = run("ab", { maximumRetries: 0 }, () => threw);
  await over;
  expect(happened).toEqual(["try ab", "discard ab", "done ab"]);
});

test("unlimited retries end with the age of the records", async () => {
  const { advance, happened, discarded } = run(
    "a",
    { maximumRetries: Infinity, maximumAge: 60_000 },
    () => threw,
  );
  await advance(59_000);
  expect(happened).not.toContain("discard a");
  await advance(10_000);
  expect(happened.slice(-2)).toEqual(["discard a", "done a"]);
  expect(discarded).toMatchObject([{ condition: "RecordAgeExceeded", result: threw }]);
});

describe("what a function reports", () => {
  test("what comes before the first failure is done, and the rest is tried again from there", async () => {
    const { advance, happened } = run("abcd", {}, (_, attempt) => (attempt === 1 ? failedAt("c") : ok));
    await advance(1000);
    expect(happened).toEqual(["try abcd", "done ab", "try cd", "done cd"]);
  });

  test("each record that is in the way has all of the retries", async () => {
    const { advance, happened } = run("abc", { maximumRetries: 1 }, (names, attempt) => {
      if (attempt === 1) return failedAt("b");
      return names.startsWith("b") ? failedAt("c") : ok;
    });
    await advance(1000);
    expect(happened).toEqual(["try abc", "done a", "try bc", "done b", "try c", "done c"]);
  });

  test("an answer that is malformed is a failure of all", async () => {
    const { advance, happened } = run("ab", { maximumRetries: 1 }, () => ({ payload: '"fine"' }));
    await advance(1000);
    expect(happened).toEqual(["try ab", "try ab", "discard ab", "done ab"]);
  });
});

describe("bisecting", () => {
  const poison = (names: string) => (names.includes("c") ? threw : ok);

  test("finds the record, gives up that one alone, and keeps the order", async () => {
    const { advance, happened, discarded } = run("abcdefgh", { bisects: true }, poison);
    await advance(60_000);
    expect(happened).toEqual([
      ...["try abcdefgh", "try abcd", "try ab", "done ab", "try cd"],
      ...["try c", "try c", "try c", "discard c", "done c"],
      ...["try d", "done d", "try efgh", "done efgh"],
    ]);
    expect(discarded[0]?.changes.map(({ sequenceNumber }) => sequenceNumber)).toEqual(["c"]);
  });

  test("does not count as a retry", async () => {
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

  test("splits where the function says, and at the middle when that leads nowhere", async () => {
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

describe("age", () => {
  test("records that are too old before the first try never reach the function", async () => {
    const { over, happened, discarded } = run("ab", { maximumAge: -1 }, () => ok);
    await over;
    expect(happened).toEqual(["discard ab", "done ab"]);
    expect(discarded).toMatchObject([{ condition: "RecordAgeExceeded", invocations: 0, result: undefined }]);
  });

  test("younger records after old ones are handled", async () => {
    const { clock } = testClock();
    const seen: string[] = [];
    const change = (sequenceNumber: string, age: number): Change => {
      return { sequenceNumber, createdAt: clock.now() - age, event: {}, size: 1, partition: 0 };
    };
    await processBatch(
      [change("a", 61_000), change("b", 59_000)],
      { ...settings, maximumAge: 60_000 },
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

test("a function that cannot be invoked is no failure of the records", async () => {
  const { advance, happened } = run("a", { maximumRetries: 0 }, (_, attempt) =>
    attempt < 3 ? new Error() : ok,
  );
  await advance(60_000);
  expect(happened).toEqual(["try a", "try a", "try a", "done a"]);
});

describe("once everything ends", () => {
  test("what a function answers does not count any more", async () => {
    const { over, happened } = run("ab", { maximumRetries: 0 }, (_names, _attempt, end) => {
      end();
      return threw;
    });
    await over;
    expect(happened).toEqual(["try ab"]);
  });

  test("a pause is over, and nothing is tried again", async () => {
    const { over, advance, ending, happened } = run("ab", {}, () => threw);
    await advance();
    ending.abort();
    await over;
    expect(happened).toEqual(["try ab"]);
  });
});
