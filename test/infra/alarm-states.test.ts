import { describe, expect, it } from "vitest";
import { type AlarmProperties, nextState, type State, statesOf } from "./alarm-states.ts";
import { evaluate } from "./metric-math.ts";

const sparse = [undefined, 1, undefined, 4];
const silent = [undefined, undefined, undefined, undefined];

describe("evaluate", () => {
  it.each([
    ["a", {}, sparse],
    ["FILL(a, 0)", {}, [0, 1, 0, 4]],
    ["FILL(a, REPEAT)", {}, [undefined, 1, 1, 4]],
    ["FILL(a, 0)", { a: silent }, silent],
    ["SUM(METRICS())", { b: [2, 2, undefined, 2] }, [2, 3, undefined, 6]],
    ["MAX(METRICS())", { b: [2, 2, undefined, 2] }, [2, 2, undefined, 4]],
    ["SUM(FILL(METRICS(), 0)) + TIME_SERIES(0)", { a: silent, b: silent }, [0, 0, 0, 0]],
    ["SUM(FILL(METRICS(), 0)) + TIME_SERIES(0)", { b: silent }, [0, 1, 0, 4]],
    ["IF(FILL(a, REPEAT), FILL(a, 0))", {}, [undefined, 1, 0, 4]],
    ["IF(FILL(a, REPEAT), FILL(a, 0))", { a: silent }, silent],
    ["a - b", { b: [1, undefined, undefined, 1] }, [-1, 1, undefined, 3]],
  ])("gives the value of %s", (expression, metrics, expected) => {
    expect(evaluate(expression, { a: sparse, ...metrics })).toEqual(expected);
  });

  it.each([
    ["RATE(a)", "RATE is not emulated"],
    ["c", "There is no metric c"],
    ["SUM(a)", "Of one series, the result would be one number"],
    ["a a", "Unexpected a"],
    ["FILL(a 0)", "Expected , at 0 )"],
  ])("rejects %s", (expression, message) => {
    expect(() => evaluate(expression, { a: sparse })).toThrow(message);
  });
});

/** An alarm on values of 1 or more. */
const alarm = (more: Partial<AlarmProperties>): AlarmProperties => ({
  AlarmDescription: "",
  ComparisonOperator: "GreaterThanOrEqualToThreshold",
  EvaluationPeriods: 3,
  MetricName: "M",
  Namespace: "N",
  Period: 300,
  Statistic: "Sum",
  Threshold: 1,
  TreatMissingData: "notBreaching",
  ...more,
});

/** 0 is a point within the threshold, X one beyond, and - a missing one. */
const points = (text: string) =>
  text.split(" ").map((point) => ({ "0": 0, X: 1, "-": undefined })[point] as number | undefined);

const kept: State = "INSUFFICIENT_DATA";

describe("nextState", () => {
  // The examples of AWS's page about missing data.
  it.each<[number, string, State, State, State]>([
    [3, "0 - X - X", "OK", "OK", "OK"],
    [3, "0 - - - -", "OK", "OK", "OK"],
    [3, "- - - - -", kept, "ALARM", "OK"],
    [3, "0 X X - X", "ALARM", "ALARM", "ALARM"],
    [3, "- - - - X", kept, "ALARM", "OK"],
    [3, "X - - - -", kept, "ALARM", "OK"],
    [2, "0 - X - X", "ALARM", "ALARM", "ALARM"],
    [2, "0 0 X 0 X", "ALARM", "ALARM", "ALARM"],
    [2, "0 - X - -", "OK", "ALARM", "OK"],
    [2, "- - - - 0", "OK", "ALARM", "OK"],
    [2, "- - - - X", kept, "ALARM", "OK"],
  ])("takes %i of 3 points of %s as AWS does", (DatapointsToAlarm, text, ignore, breaching, notBreaching) => {
    const states = ["ignore", "breaching", "notBreaching"].map((TreatMissingData) =>
      nextState(alarm({ DatapointsToAlarm, TreatMissingData }), points(text), kept),
    );
    expect(states).toEqual([ignore, breaching, notBreaching]);
  });

  it("ignores what is missing of DynamoDB", () => {
    expect(nextState(alarm({ Namespace: "AWS/DynamoDB" }), points("- - - - -"), "ALARM")).toBe("ALARM");
  });
});

describe("statesOf", () => {
  const incident = (minute: number) => (minute >= 100 && minute < 200 ? 1 : undefined);

  it("follows an alarm through an incident", () => {
    expect(statesOf(alarm({}), () => incident, 400)).toEqual([kept, "OK", "ALARM", "OK"]);
  });

  it("leaves an alarm on DynamoDB alone in ALARM, where its metric has no data", () => {
    const states = statesOf(alarm({ Namespace: "AWS/DynamoDB" }), () => incident, 400);
    expect(states).toEqual([kept, "ALARM"]);
  });
});
