import { describe, expect, it, vi } from "vitest";
import { recordExecutions } from "../../lib/runtime/executions.ts";
import { quietConsole } from "../support/console.ts";
import { order, position } from "../support/executions.ts";

const logged = quietConsole();

const asOrder = (rest: object = {}) => ({ kind: "order", userID: "alice", ...order(), ...rest });
const asPosition = (rest: object = {}) => ({ kind: "position", userID: "bob", ...position(), ...rest });

const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";

describe("recordExecutions", () => {
  it("records each order and position, and returns one result for each", async () => {
    const record = vi.fn(async ({ kind }) =>
      kind === "order" ? ("recorded" as const) : ("unchanged" as const),
    );
    expect(await recordExecutions(() => record)({ records: [asOrder(), asPosition()] })).toEqual({
      results: [
        { index: 0, kind: "order", id: "o1", status: "recorded" },
        { index: 1, kind: "position", id: "p1", status: "unchanged" },
      ],
    });
    expect(record.mock.calls).toEqual([
      [{ userID: "alice", kind: "order", execution: order() }],
      [{ userID: "bob", kind: "position", execution: position() }],
    ]);
  });

  it("opens one recorder per invocation", async () => {
    const open = vi.fn(() => async () => "recorded" as const);
    await recordExecutions(open)({ records: [asOrder(), asOrder()] });
    expect(open).toHaveBeenCalledExactlyOnceWith(expect.any(Date));
  });

  it("records valid records among invalid ones, and explains each error", async () => {
    const bad: [unknown, string][] = [
      [null, "The record must be an object"],
      ["order", "The record must be an object"],
      [[], "kind is required and must be one of order, position"],
      [{ kind: "trade" }, "kind must be one of order, position"],
      [{ kind: "toString" }, "kind must be one of order, position"],
      [{ kind: "order" }, "userID is required and must be a string"],
      [asOrder({ amount: "1e5" }), "amount must be a decimal number of at least 0, as text"],
      [asOrder({ version: 0 }), "version must be at least 1"],
      [
        asOrder({ createdAt: secret }),
        "createdAt must be an ISO 8601 timestamp, such as 2026-01-31T09:30:00.000Z",
      ],
      [asOrder({ [secret]: 1 }), "A field of the record is not a known field"],
      [asPosition({ side: "buy" }), "side is not a known field"],
      [asPosition({ orderId: "o1" }), "orderId is not a known field"],
    ];
    const record = vi.fn(async () => "recorded" as const);
    const { results } = await recordExecutions(() => record)({
      records: [asOrder(), ...bad.map(([item]) => item), asPosition()],
    });
    expect(results.slice(1, -1)).toEqual(
      bad.map(([, message], index) => ({
        index: index + 1,
        status: "rejected",
        error: { code: "INVALID_REQUEST", message },
      })),
    );
    expect([results.at(0)?.status, results.at(-1)?.status]).toEqual(["recorded", "recorded"]);
    expect(record).toHaveBeenCalledTimes(2);
    expect(logged()).toEqual([]);
  });

  it.each([
    ["of unknown users", "unknown user", "UNKNOWN_USER", "No user with this userID has signed in"],
    [
      "of orders placed here",
      "not yours",
      "NOT_YOURS",
      "Orders placed here can only be changed by the service itself",
    ],
  ] as const)("rejects records %s", async (_, outcome, code, message) => {
    const handler = recordExecutions(() => async () => outcome);
    expect(await handler({ records: [asOrder()] })).toEqual({
      results: [
        {
          index: 0,
          kind: "order",
          id: "o1",
          status: "rejected",
          error: { code, message },
        },
      ],
    });
  });

  it("reports a record that could not be written as failed, and records the others", async () => {
    const handler = recordExecutions(() => async ({ userID }) => {
      if (userID === "alice") throw new Error(`no table for ${secret}`);
      return "recorded";
    });
    const { results } = await handler({ records: [asOrder({ reason: secret }), asPosition()] });
    expect(results).toEqual([
      {
        index: 0,
        kind: "order",
        id: "o1",
        status: "failed",
        error: { code: "INTERNAL_ERROR", message: "Internal server error" },
      },
      { index: 1, kind: "position", id: "p1", status: "recorded" },
    ]);
    expect(logged()).toEqual([expect.objectContaining({ operation: "recordExecutions", error: "Error" })]);
    expect(JSON.stringify([results, logged()])).not.toContain(secret.slice(0, 8));
  });
});

describe("recordExecutions with an event that is not a list of records", () => {
  const listForm = "records must be a list of 1 to 100 records";

  it.each([
    [null, "The event must be an object"],
    [[asOrder()], `records is required and ${listForm.slice("records ".length)}`],
    [{}, `records is required and ${listForm.slice("records ".length)}`],
    [{ records: [] }, listForm],
    [{ records: asOrder() }, listForm],
    [{ records: Array(101).fill(asOrder()) }, listForm],
    [{ records: [asOrder()], dryRun: true }, "dryRun is not a known field"],
  ])("rejects the whole event and explains the error (%#)", async (event, message) => {
    const record = vi.fn(async () => "recorded" as const);
    const error = await recordExecutions(() => record)(event).catch((error) => error);
    expect(error).toMatchObject({ name: "InvalidRequest", message });
    expect(record).not.toHaveBeenCalled();
  });
});
