import { describe, expect, test } from "vitest";
import type { RuleDefinition } from "../../src/events/rule-definition.ts";
import { followRule } from "../../src/events/schedule.ts";
import { functionArn, queueArn } from "../cloudformation/stack.ts";
import { testClock } from "./test-clock.ts";

const start = Date.UTC(2026, 0, 1, 12, 0, 0, 250);
const feed = functionArn("feed");
const rule: RuleDefinition = {
  arn: "arn:aws:events:us-east-1:000000000000:rule/r",
  rate: 60_000,
  targets: [{ functionArn: feed, input: undefined, deadLetters: undefined }],
};

function follow(stated: Partial<RuleDefinition> = {}, allowed = true) {
  const { clock, advance } = testClock(start);
  const ending = new AbortController();
  const runs: { at: number; name: string; event: unknown }[] = [];
  const asked: string[][] = [];
  const lines: string[] = [];
  const dead: unknown[][] = [];
  const over = followRule(
    { ...rule, ...stated },
    {
      clock,
      signal: ending.signal,
      invokeLater: (name, event) => runs.push({ at: clock.now() - start, name, event }),
      mayInvoke: (...question) => {
        asked.push(question);
        return allowed;
      },
      queues: { send: (...sent) => void dead.push(sent) },
      report: (line) => lines.push(line),
    },
  );
  return { over, advance, ending, runs, asked, lines, dead, times: () => runs.map(({ at }) => at) };
}

test("a function is given the event that EventBridge makes", () => {
  const { runs, asked } = follow();
  expect(runs).toEqual([
    {
      at: 0,
      name: feed,
      event: {
        version: "0",
        id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
        "detail-type": "Scheduled Event",
        source: "aws.events",
        account: "000000000000",
        time: "2026-01-01T12:00:00Z",
        region: "us-east-1",
        resources: [rule.arn],
        detail: {},
      },
    },
  ]);
  expect(asked).toEqual([[feed, rule.arn]]);
});

test("runs at once, and then at the rate", async () => {
  const { advance, times, runs } = follow();
  expect(times()).toEqual([0]);
  await advance(59_999);
  expect(times()).toEqual([0]);
  await advance(1);
  expect(times()).toEqual([0, 60_000]);
  await advance(120_000);
  expect(times()).toEqual([0, 60_000, 120_000, 180_000]);
  const ids = runs.map(({ event }) => (event as { id: string }).id);
  expect(new Set(ids).size).toBe(4);
});

test("all targets are run, those with an input of their own with that", () => {
  const targets = [
    ...rule.targets,
    { ...rule.targets[0], functionArn: functionArn("other"), input: { value: [1] } },
  ];
  const { runs } = follow({ targets: targets as RuleDefinition["targets"] });
  expect(runs.map(({ name }) => name)).toEqual([feed, functionArn("other")]);
  expect(runs[1]?.event).toEqual([1]);
});

test("no run comes after the end", async () => {
  const { over, advance, ending, times } = follow();
  await advance(1000);
  ending.abort();
  await over;
  await advance(600_000);
  expect(times()).toEqual([0]);
});

test("the times that a sleeping machine misses are left out", async () => {
  let now = start;
  const ending = new AbortController();
  const runs: number[] = [];
  await followRule(rule, {
    clock: {
      now: () => now,
      // Wakes up four and a half minutes late, once; then it is over.
      pause: async (ms) => {
        now += ms + (runs.length === 1 ? 270_000 : 0);
        if (runs.length === 3) ending.abort();
      },
    },
    signal: ending.signal,
    invokeLater: () => runs.push((now - start) / 60_000),
    mayInvoke: () => true,
    queues: { send: () => {} },
    report: () => {},
  });
  expect(runs).toEqual([0, 5.5, 6]);
});

describe("without the permission to invoke it", () => {
  test("a function is not invoked, and that is told", () => {
    const { runs, lines, dead } = follow({}, false);
    expect(runs).toEqual([]);
    expect(lines).toEqual([`${rule.arn} has no permission to invoke ${feed}`]);
    expect(dead).toEqual([]);
  });

  test("the event goes to the queue for that", () => {
    const deadLetters = queueArn("dead");
    const { dead } = follow(
      { targets: [{ functionArn: feed, input: { value: { a: 1 } }, deadLetters }] },
      false,
    );
    expect(dead).toEqual([[deadLetters, "feed", { a: 1 }]]);
  });
});
