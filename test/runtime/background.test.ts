import { describe, expect, it, onTestFinished, vi } from "vitest";
import { background, deadlineOf, onChanges, walled } from "../../lib/runtime/background.ts";
import { InvalidRequest } from "../../lib/runtime/validate.ts";
import { quietConsole } from "../support/console.ts";
import { order } from "../support/executions.ts";
import { executionItem, streamRecord } from "../support/stream.ts";

const logged = quietConsole();

const secret = "4c0883a69102937d6231471b5dbb6204";

describe("background", () => {
  it("passes the event and the context on, and returns the result", async () => {
    const handler = background("deliver", async (event: number, context: number) => event + context);
    expect(await handler(1, 2)).toBe(3);
  });

  it("logs an error by its name, and throws without quoting the event", async () => {
    const handler = background("deliver", (_: string) => Promise.reject(new RangeError(`not ${secret}`)));
    const error = await handler(secret).catch((error) => error);
    expect(error).toMatchObject({ message: "deliver failed", stack: "" });
    expect(Object.values(error)).toEqual([]);
    expect(logged()).toEqual([expect.objectContaining({ operation: "deliver", error: "RangeError" })]);
    expect(JSON.stringify(logged())).not.toContain(secret);
  });

  it("tells the invoker that an event is unreadable, without a stack trace or a log line", async () => {
    const handler = background("recordExecutions", () => Promise.reject(new InvalidRequest("no list")));
    const error = await handler().catch((error) => error);
    expect(error).toMatchObject({ name: "InvalidRequest", message: "no list", stack: "" });
    expect(logged()).toEqual([]);
  });
});

describe("walled", () => {
  const handle = vi.fn(async (event: unknown) => event);
  const handler = walled("signTransaction", handle);

  it("does nothing for the daily event of its schedule", async () => {
    expect(await handler({ source: "aws.events", "detail-type": "Scheduled Event" })).toBeUndefined();
    expect(handle).not.toHaveBeenCalled();
  });

  it.each([[{ source: "other" }], [null], ["text"]])("passes on any other event: %j", async (event) => {
    expect(await handler(event)).toBe(event);
  });
});

describe("onChanges", () => {
  const records = ["a", "b"].map((orderId) => streamRecord(executionItem("alice", order({ orderId }))));

  it("handles the records of a batch together, and reports those to retry", async () => {
    const handle = vi.fn(async (..._: unknown[]) => ["7", "9"]);
    expect(await onChanges("publishChanges", handle)({ Records: records }, "context")).toEqual({
      batchItemFailures: [{ itemIdentifier: "7" }, { itemIdentifier: "9" }],
    });
    expect(handle).toHaveBeenCalledExactlyOnceWith(records, "context");
  });

  it("reports no failed records if all records were handled", async () => {
    expect(await onChanges("publishChanges", async () => [])({ Records: records })).toEqual({
      batchItemFailures: [],
    });
  });

  it("fails the whole batch if the handler throws", async () => {
    const handler = onChanges("publishChanges", () => Promise.reject(new Error(secret)));
    await expect(handler({ Records: records })).rejects.toThrow("publishChanges failed");
  });
});

describe("deadlineOf", () => {
  it("reserves time for the end of a run", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(deadlineOf({ getRemainingTimeInMillis: () => 30_000 }, 6000)).toEqual(
      new Date(Date.now() + 24_000),
    );
  });
});
