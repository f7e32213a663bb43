import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { executionRecords, RecordExecutionsSchema } from "../../lib/api/execution-schema.ts";
import { order, position } from "../support/executions.ts";

const good = { kind: "order", userID: "auth0|ann", ...order() };

const accepts = (input: unknown, kind: keyof typeof executionRecords = "order") =>
  v.safeParse(executionRecords[kind] as v.GenericSchema, input).success;

describe("OrderRecord", () => {
  it.each([
    [
      "values of the greatest length",
      { orderId: "a".repeat(64), wallet: "w".repeat(128), reason: "r".repeat(256) },
    ],
    ["every character that an id may have", { orderId: "Ab9_.:-" }],
    ["amounts of any size", { amount: "0", filledAmount: `${"9".repeat(40)}.${"9".repeat(40)}` }],
    ["the greatest version", { version: Number.MAX_SAFE_INTEGER }],
    ["no optional field", { price: undefined, reason: undefined }],
  ])("accepts %s", (_, changes) => {
    expect(accepts({ ...good, ...changes })).toBe(true);
  });

  it.each([
    ["orderId", "a#b"],
    ["orderId", "a".repeat(65)],
    ["orderId", ""],
    ["userID", ""],
    ["userID", "\u00fc"],
    ["userID", "a".repeat(256)],
    ["chain", "polygon"],
    ["side", "BUY"],
    ["type", "iceberg"],
    ["status", "closed"],
    ["amount", "1e5"],
    ["amount", "-1"],
    ["amount", ".5"],
    ["amount", "1."],
    ["amount", "1\n"],
    ["amount", 1],
    ["amount", "9".repeat(41)],
    ["price", null],
    ["reason", "r".repeat(257)],
    ["version", 0],
    ["version", 1.5],
    ["version", 2 ** 53],
    ["version", "1"],
    ["createdAt", "yesterday"],
    ["createdAt", "2026-02-31T10:00:00Z"],
    ["createdAt", "2025-02-29T10:00:00+05:30"],
    ["createdAt", "2026-01-01 10:00:00Z"],
    ["createdAt", "2026-01-01T24:00:00Z"],
    ["createdAt", "2026-01-01T10:00:60Z"],
    ["createdAt", "2026-01-01T10:00:00"],
    ["createdAt", "2026-01-01"],
    ["updatedAt", "2026-01-01T10:00:00.Z"],
    ["updatedAt", "2026-01-01T10:00:00+25:00"],
    ["updatedAt", 1767261600000],
    ["PK", "USER#bob"],
    ["expiresAt", 1],
  ])("rejects the %s %j", (name, value) => {
    expect(accepts({ ...good, [name]: value })).toBe(false);
  });

  it.each([
    ["2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00.000Z"],
    ["2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"],
    ["2024-02-29T23:30:00.123456789-05:30", "2024-03-01T05:00:00.123Z"],
    ["2026-01-01T00:10:00.5+00:30", "2025-12-31T23:40:00.500Z"],
  ])("reads the time %s as %s, in UTC with milliseconds", (updatedAt, read) => {
    expect(v.parse(executionRecords.order, { ...good, updatedAt })).toMatchObject({ updatedAt: read });
  });

  it.each(Object.keys(good).filter((name) => name !== "price"))(
    "requires the field %s of a record",
    (name) => {
      expect(accepts({ ...good, [name]: undefined })).toBe(false);
    },
  );
});

describe("PositionRecord", () => {
  const goodPosition = { kind: "position", userID: "ann", ...position() };

  it("accepts losses but no negative amounts", () => {
    expect(accepts({ ...goodPosition, realizedPnl: "-12.5" }, "position")).toBe(true);
    expect(accepts({ ...goodPosition, amount: "-12.5" }, "position")).toBe(false);
    expect(accepts({ ...goodPosition, realizedPnl: "--1" }, "position")).toBe(false);
  });

  it("rejects an order in place of a position", () => {
    expect(accepts(good, "position")).toBe(false);
    expect(accepts({ ...goodPosition, side: "buy" }, "position")).toBe(false);
  });
});

describe("RecordExecutions", () => {
  it.each([
    [[], false],
    [[{}], true],
    [Array(100).fill({}), true],
    [Array(101).fill({}), false],
    [undefined, false],
    ["records", false],
  ])("accepts 1 to 100 records in one report (case %#)", (records, accepted) => {
    expect(v.safeParse(RecordExecutionsSchema, { records }).success).toBe(accepted);
  });
});
