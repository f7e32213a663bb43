import { describe, expect, it } from "vitest";
import { followRule, type Rule, readRules } from "../../src/events/rules.ts";
import { attribute, functionArn, queueArn, resourcesOf } from "../cloudformation/stack.ts";
import { testClock } from "../fixtures/clock.ts";

const feed = functionArn("feed");

describe("readRules", () => {
  const target = { Arn: attribute("Function", "Arn"), Id: "Target0" };
  const rule = { ScheduleExpression: "rate(1 minute)", State: "ENABLED", Targets: [target] };

  function read(properties: object) {
    const resources = resourcesOf({
      Function: { Type: "AWS::Lambda::Function", Properties: { FunctionName: "feed" } },
      Rule: { Type: "AWS::Events::Rule", Properties: { ...properties } },
    });
    return readRules(resources, (name) => name === feed);
  }

  it("reads a rule and ignores its retry policy", () => {
    const RetryPolicy = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 };
    const stated = {
      ...rule,
      Name: "each-minute",
      Description: "Feeds",
      Targets: [{ ...target, RetryPolicy }],
    };
    expect(read(stated)).toEqual([
      {
        arn: "arn:aws:events:us-east-1:000000000000:rule/each-minute",
        rateMs: 60_000,
        targets: [{ functionArn: feed }],
      },
    ]);
  });

  it("reads the event of a target", () => {
    const [found] = read({ ...rule, Targets: [{ ...target, Input: '{"chain":"base"}' }] });
    expect(found?.targets).toEqual([{ functionArn: feed, input: { chain: "base" } }]);
  });

  it.each([
    ["rate(1 minute)", 60_000],
    ["rate(5 minutes)", 300_000],
    ["rate(1 hour)", 3_600_000],
    ["rate(12 hours)", 43_200_000],
    ["rate(1 day)", 86_400_000],
    ["rate(30 days)", 2_592_000_000],
  ])("reads the schedule %s", (ScheduleExpression, rateMs) => {
    expect(read({ ...rule, ScheduleExpression })).toMatchObject([{ rateMs }]);
  });

  it.each([
    "rate(1 minutes)",
    "rate(5 minute)",
    "rate(0 minutes)",
    "rate(5 seconds)",
    "rate(1.5 hours)",
    "5 minutes",
    "cron(0 12 * * ? *)",
  ])("rejects the schedule %s", (ScheduleExpression) => {
    expect(() => read({ ...rule, ScheduleExpression })).toThrow(
      `Rule (AWS::Events::Rule) has something that is not emulated: ScheduleExpression: ${ScheduleExpression}`,
    );
  });

  it("omits a disabled rule", () => {
    expect(read({ ...rule, State: "DISABLED" })).toEqual([]);
  });

  it("leaves out a rule on events of AWS's own services, which never happen here", () => {
    const EventPattern = { source: ["aws.kms"], detail: { eventName: ["DisableKey"] } };
    const notice = { EventPattern, Targets: [{ Id: "Queue", Arn: queueArn("other") }] };
    expect(read({ ...notice, State: "ENABLED" })).toEqual([]);
  });

  it.each<[string, object]>([
    ["EventPattern", { EventPattern: { source: ["x"] } }],
    ["EventBusName", { EventBusName: "other" }],
    ["State", { State: "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS" }],
    ["Targets.0.Input", { Targets: [{ ...target, Input: "{" }] }],
    ["Targets.0.InputPath", { Targets: [{ ...target, InputPath: "$.id" }] }],
    [
      "Targets.0.DeadLetterConfig",
      { Targets: [{ ...target, DeadLetterConfig: { Arn: queueArn("other") } }] },
    ],
    ["Targets.0.Arn", { Targets: [{ ...target, Arn: queueArn("other") }] }],
    ["ScheduleExpression", { ScheduleExpression: undefined }],
  ])("rejects the property %s", (property, change) => {
    expect(() => read({ ...rule, ...change })).toThrow(
      `Rule (AWS::Events::Rule) has something that is not emulated: ${property}`,
    );
  });
});

describe("followRule", () => {
  const start = Date.UTC(2026, 0, 1, 12, 0, 0, 250);
  const rule: Rule = {
    arn: "arn:aws:events:us-east-1:000000000000:rule/r",
    rateMs: 60_000,
    targets: [{ functionArn: feed }],
  };

  function follow(stated: Partial<Rule> = {}, allowed = true) {
    const { clock, advance } = testClock(start);
    const ending = new AbortController();
    const runs: { at: number; name: string; event: unknown }[] = [];
    const asked: string[][] = [];
    const lines: string[] = [];
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
        report: (line) => lines.push(line),
      },
    );
    return { over, advance, ending, runs, asked, lines, times: () => runs.map(({ at }) => at) };
  }

  it("passes EventBridge's event to the function", () => {
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

  it("invokes the function at once and then at the schedule's rate", async () => {
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

  it("invokes every target of a rule", () => {
    const { runs } = follow({ targets: [{ functionArn: feed }, { functionArn: functionArn("other") }] });
    expect(runs.map(({ name }) => name)).toEqual([feed, functionArn("other")]);
  });

  it("passes a target's own event in place of EventBridge's", () => {
    const inputs = [{ chain: "eth" }, { chain: "base" }];
    const { runs } = follow({ targets: inputs.map((input) => ({ functionArn: feed, input })) });
    expect(runs.map(({ name, event }) => [name, event])).toEqual(inputs.map((input) => [feed, input]));
  });

  it("stops invoking targets once the signal is aborted", async () => {
    const { over, advance, ending, times } = follow();
    await advance(1000);
    ending.abort();
    await over;
    await advance(600_000);
    expect(times()).toEqual([0]);
  });

  it("skips runs while the machine sleeps", async () => {
    let now = start;
    const ending = new AbortController();
    const runs: number[] = [];
    await followRule(rule, {
      clock: {
        now: () => now,
        // Ends the second pause four and a half minutes late.
        pause: async (ms) => {
          now += ms + (runs.length === 1 ? 270_000 : 0);
          if (runs.length === 3) ending.abort();
        },
      },
      signal: ending.signal,
      invokeLater: () => runs.push((now - start) / 60_000),
      mayInvoke: () => true,
      report: () => {},
    });
    expect(runs).toEqual([0, 5.5, 6]);
  });

  it("reports a function that it may not invoke", () => {
    const { runs, lines } = follow({}, false);
    expect(runs).toEqual([]);
    expect(lines).toEqual([`${rule.arn} has no permission to invoke ${feed}`]);
  });
});
