import { describe, expect, it } from "vitest";
import { firstFailure } from "../../src/streams/process-batch.ts";

const batch = ["11", "12", "13"];
const failed = (...ids: unknown[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});
const answer = (value: unknown, reports = true) =>
  firstFailure({ payload: JSON.stringify(value) ?? "" }, batch, reports);

describe("firstFailure", () => {
  it.each([[null], [{}], [{ batchItemFailures: null }], [failed()], [{ statusCode: 200 }]])(
    "finds no failed record in the answer %j",
    (value) => {
      expect(answer(value)).toBeUndefined();
    },
  );

  it("finds the lowest index that the function names, in any order", () => {
    expect(answer(failed("12"))).toBe(1);
    expect(answer(failed("13", "12"))).toBe(1);
    expect(answer(failed("11"))).toBe(0);
  });

  it.each([
    ["an answer that is not an object", "done"],
    ["a list", [1]],
    ["failures that are not a list", { batchItemFailures: "12" }],
    ["a failure without its identifier", { batchItemFailures: [{ id: "12" }] }],
    ["an empty identifier", failed("")],
    ["an identifier that is null", failed(null)],
    ["an identifier of another batch, even next to a valid one", failed("12", "99")],
  ])("counts the whole batch as failed for %s", (_, value) => {
    expect(answer(value)).toBe(0);
  });

  it("counts the whole batch as failed for malformed JSON", () => {
    expect(firstFailure({ payload: "" }, batch, true)).toBe(0);
  });

  it("counts the whole batch as failed for an error with any payload", () => {
    const payload = JSON.stringify(failed("13"));
    expect(firstFailure({ payload, functionError: "Unhandled" }, batch, true)).toBe(0);
    expect(firstFailure({ payload, functionError: "Unhandled" }, batch, false)).toBe(0);
  });

  it("ignores the answer without ReportBatchItemFailures", () => {
    expect(answer(failed("12"), false)).toBeUndefined();
    expect(answer("done", false)).toBeUndefined();
  });
});
