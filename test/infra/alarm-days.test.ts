import { describe, expect, it } from "vitest";
import { operations } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import {
  type AlarmProperties,
  type Feed,
  type Metric,
  metricsOf,
  nextState,
  periodOf,
  type State,
  statesOf,
} from "./alarm-states.ts";
import { customContext, resourcesOf, synthesize, watchOf } from "./synthesized.ts";

const day = 24 * 60;

const alarms = Object.entries(
  resourcesOf<AlarmProperties>(watchOf(synthesize(customContext)), "AWS::CloudWatch::Alarm"),
).map(([id, { Properties }]) => [id.replace(/^Alarms|[0-9A-F]{8}$/g, ""), Properties] as const);

/** Finds the row of the function that a metric measures. */
function rowOf({ MetricName, Dimensions = [] }: Metric): Operation | undefined {
  const id = (Dimensions.find(({ Name }) => Name === "FunctionName")?.Value as { Ref: string } | undefined)
    ?.Ref;
  const name = id?.replace(/Function[0-9A-F]{8}$/, "") ?? MetricName.replace(/Faults$/, "");
  return (operations as Record<string, Operation>)[name];
}

/**
 * Returns whether a function runs in a minute. Functions without a schedule run every minute. Daily runs begin a day
 * after the deployment.
 */
function runs(row: Operation | undefined, minute: number): boolean {
  if (row?.kind !== "schedule") return minute >= 0;
  return minute >= row.everyMinutes && minute % row.everyMinutes === Math.min(700, row.everyMinutes - 1);
}

/** Days with users. A call fails now and then, and the next attempt succeeds. */
const goodDays: Feed = (metric) => {
  const row = rowOf(metric);
  const call = metric.Dimensions?.find(({ Name }) => Name === "Operation")?.Value;
  const isScheduled = row?.kind === "schedule";
  const hiccup = (minute: number) => minute % day === 700 && !isScheduled;
  switch (metric.MetricName) {
    case "Invocations":
      return (minute) => (runs(row, minute) ? 1 : undefined);
    case "Errors":
    case "Throttles":
      return (minute) => (runs(row, minute) ? Number(hiccup(minute)) : undefined);
    case "IteratorAge":
      return (minute) => (runs(row, minute) ? (hiccup(minute) ? 30_000 : 300) : undefined);
    case "ApproximateNumberOfMessagesVisible":
      return (minute) => (minute >= 0 ? 0 : undefined);
    case "PromptBroadcasts":
      return (minute) => (minute >= 0 ? 10 : undefined);
    case "LateBroadcasts":
      // Even on a good day, a few orders of many are late.
      return (minute) => (minute >= 0 && minute % 3 === 0 ? 1 : undefined);
    case "KeyLimitReached":
    case "OrderWithoutProgress":
    case "LaneHeldTooLong":
    case "SignatureRefused":
    case "SignaturePostponed":
      return () => undefined;
    default:
      // Log lines and DynamoDB's failures have data only after something goes wrong.
      return (minute) => (hiccup(minute) && (call ?? "Query") === "Query" ? 1 : undefined);
  }
};

/** First days after a deployment, before it has users: only schedules run. */
const cleanDeploy: Feed = (metric) => {
  const row = rowOf(metric);
  if (metric.Namespace !== "AWS/Lambda" || row?.kind !== "schedule") return () => undefined;
  const value = { Invocations: 1, IteratorAge: 300 }[metric.MetricName] ?? 0;
  return (minute) => (minute >= 2 && runs(row, minute) ? value : undefined);
};

/** A lasting failure of every run of a schedule, and of some calls of every other function in each minute. */
const badDays: Feed = (metric) => {
  const row = rowOf(metric);
  const failures = row?.kind === "schedule" ? 1 : 3;
  const values: Record<string, number | undefined> = {
    Invocations: undefined,
    IteratorAge: 120_000,
    SignaturePostponed: 5,
    NoticesLost: 5,
    LateBroadcasts: 2,
    // Users who reach a limit repeat their requests.
    ThrottledCharts: 100,
    ThrottledOrders: 100,
    ThrottledGuards: 20,
    HostUnits: 100_000,
  };
  const value = metric.MetricName in values ? values[metric.MetricName] : failures;
  return (minute) => (runs(row, minute) ? value : undefined);
};

describe("alarms without an incident", () => {
  it.each([
    ["after a first deployment without users", cleanDeploy],
    ["on good days", goodDays],
  ])("raises no alarm %s", (_, feed) => {
    const raised = alarms.filter(([, alarm]) =>
      statesOf(alarm, feed, Math.max(2 * day, 5 * periodOf(alarm))).includes("ALARM"),
    );
    expect(raised.map(([id]) => id)).toEqual([]);
  });
});

const cases = alarms.flatMap(([id, alarm]) =>
  metricsOf(alarm).flatMap(({ metric }, index) => {
    // Signatures and prompt broadcasts are no incidents; the alarms only compare other metrics with them.
    if (["SignatureMade", "PromptBroadcasts"].includes(metric.MetricName)) return [];
    const call = metric.Dimensions?.find(({ Name }) => Name === "Operation")?.Value;
    return [[id, [metric.MetricName, call].filter(Boolean).join(" of "), alarm, index] as const];
  }),
);

describe("alarms during incidents", () => {
  it.each(cases)("raises %s for each of two incidents in %s", (_id, _metric, alarm, index) => {
    const { metric } = metricsOf(alarm)[index] as { metric: Metric };
    const row = rowOf(metric);
    const part = Math.max(30, 6 * periodOf(alarm), row?.kind === "schedule" ? row.everyMinutes : 0);
    const isBad = (minute: number) => minute >= 0 && Math.floor(minute / part) % 2 === 1;
    const feed: Feed = (each) => {
      const [good, bad] = [goodDays(each), badDays(each)];
      if (JSON.stringify(each) !== JSON.stringify(metric)) return good;
      return (minute) => (isBad(minute) ? bad(minute) : good(minute));
    };
    // Also notices a missing run if CloudWatch looks back no further than it must.
    for (const more of metric.MetricName === "Invocations" ? [0, undefined] : [undefined]) {
      const states = statesOf(alarm, feed, 5 * part, more).filter((state) => state !== "INSUFFICIENT_DATA");
      expect(states).toEqual(["OK", "ALARM", "OK", "ALARM", "OK"]);
    }
  });
});

/** Reads points: 0 is within the threshold, X beyond it, and - is missing. */
const points = (text: string) =>
  text.split(" ").map((point) => ({ "0": 0, X: 1, "-": undefined })[point] as number | undefined);

const kept: State = "INSUFFICIENT_DATA";

describe("the alarm ChainUnavailable", () => {
  it.each<[string, State]>([
    ["X 0 X 0 X", "ALARM"],
    ["- X X X -", "ALARM"],
    ["X 0 0 0 X", "OK"],
    ["- X - X -", "OK"],
  ])("turns the minutes %s into the state %s", (text, state) => {
    const [, alarm] = alarms.find(([id]) => id === "ChainUnavailable") ?? [];
    expect(nextState(alarm as AlarmProperties, points(text), kept)).toBe(state);
  });
});

describe("the emulation of CloudWatch", () => {
  const alarm: AlarmProperties = {
    AlarmDescription: "",
    ComparisonOperator: "GreaterThanOrEqualToThreshold",
    EvaluationPeriods: 3,
    Threshold: 1,
    TreatMissingData: "notBreaching",
  };

  // Examples from AWS's page about missing data.
  it.each<[number, string, State, State]>([
    [3, "0 - X - X", "OK", "OK"],
    [3, "0 - - - -", "OK", "OK"],
    [3, "- - - - -", kept, "OK"],
    [3, "0 X X - X", "ALARM", "ALARM"],
    [3, "- - - - X", kept, "OK"],
    [2, "0 - X - X", "ALARM", "ALARM"],
    [2, "0 0 X 0 X", "ALARM", "ALARM"],
    [2, "0 - X - -", "OK", "OK"],
    [2, "- - - - X", kept, "OK"],
  ])("evaluates %i of 3 points of %s like AWS", (DatapointsToAlarm, text, ignore, notBreaching) => {
    const states = ["ignore", "notBreaching"].map((TreatMissingData) =>
      nextState({ ...alarm, DatapointsToAlarm, TreatMissingData }, points(text), kept),
    );
    expect(states).toEqual([ignore, notBreaching]);
  });
});
