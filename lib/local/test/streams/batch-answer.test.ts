import { describe, expect, test } from "vitest";
import { firstFailure } from "../../src/streams/batch-answer.ts";

const batch = ["11", "12", "13"];
const failed = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});
const answer = (value: unknown, reports = true) =>
  firstFailure({ payload: JSON.stringify(value) ?? "" }, batch, reports);

describe("all is handled with", () => {
  test.each([[null], [{}], [{ batchItemFailures: null }], [failed()], [{ statusCode: 200 }]])(
    "%j",
    (value) => {
      expect(answer(value)).toBeUndefined();
    },
  );
});

test("the lowest sequence number that is named decides, whatever the order", () => {
  expect(answer(failed("12"))).toBe(1);
  expect(answer(failed("13", "12"))).toBe(1);
  expect(answer(failed("11"))).toBe(0);
});

describe("everything has failed with", () => {
  test.each([
    ["an answer that is no object", "done"],
    ["a list", [1]],
    ["no list of failures", { batchItemFailures: "12" }],
    ["a failure without its identifier", { batchItemFailures: [{ id: "12" }] }],
    ["an empty identifier", failed("")],
    ["null for an identifier", failed(null)],
    ["an identifier of another batch, even beside a good one", failed("12", "99")],
  ])("%s", (_, value) => {
    expect(answer(value)).toBe(0);
  });

  test("what is no JSON", () => {
    expect(firstFailure({ payload: "" }, batch, true)).toBe(0);
  });

  test("an error, whatever it says", () => {
    const payload = JSON.stringify(failed("13"));
    expect(firstFailure({ payload, functionError: "Unhandled" }, batch, true)).toBe(0);
    expect(firstFailure({ payload, functionError: "Unhandled" }, batch, false)).toBe(0);
  });
});

test("without ReportBatchItemFailures an answer does not count", () => {
  expect(answer(failed("12"), false)).toBeUndefined();
  expect(answer("done", false)).toBeUndefined();
});
