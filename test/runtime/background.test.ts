import { describe, expect, it, vi } from "vitest";
import { background } from "../../lib/runtime/background.ts";
import { changesOf } from "../../lib/runtime/stream.ts";
import { quietConsole } from "../support/console.ts";
import { order } from "../support/executions.ts";
import { executionItem, streamRecord } from "../support/stream.ts";

const logged = quietConsole();

const secret = "4c0883a69102937d6231471b5dbb6204";

describe("a function that no client waits for", () => {
  it("answers with what comes of its event", async () => {
    expect(await background("deliver", async (event: number) => event + 1)(1)).toBe(2);
  });

  it("fails without a word of its event, and the fault is logged by its name", async () => {
    const handler = background("deliver", () => Promise.reject(new RangeError(`not ${secret}`)));
    const error = await handler(secret).catch((error) => error);
    expect(error).toMatchObject({ message: "deliver failed", stack: "" });
    expect(Object.values(error)).toEqual([]);
    expect(logged()).toEqual([expect.objectContaining({ operation: "deliver", error: "RangeError" })]);
    expect(JSON.stringify(logged())).not.toContain(secret);
  });
});

describe("a function that hears of changes", () => {
  const records = ["a", "b"].map((orderId) => streamRecord(executionItem("alice", order({ orderId }))));

  it("gets every record of a batch at one time, and says which have to come again", async () => {
    const handle = vi.fn(async () => ["7", "9"]);
    expect(await changesOf("publishChanges", handle)({ Records: records })).toEqual({
      batchItemFailures: [{ itemIdentifier: "7" }, { itemIdentifier: "9" }],
    });
    expect(handle).toHaveBeenCalledExactlyOnceWith(records, expect.any(Date));
  });

  it("says that none has to when all went well", async () => {
    expect(await changesOf("publishChanges", async () => [])({ Records: records })).toEqual({
      batchItemFailures: [],
    });
  });

  it("has the whole batch come again when it fails itself", async () => {
    const handler = changesOf("publishChanges", () => Promise.reject(new Error(secret)));
    await expect(handler({ Records: records })).rejects.toThrow("publishChanges failed");
  });
});
