import { describe, expect, it } from "vitest";
import { isEarnedRow } from "../../lib/rewards/earned-row.ts";
import { earnedFill, storedRow } from "../support/earning.ts";

const at = "2026-11-30T12:00:00.000Z";
const fill = storedRow(earnedFill("ann", "order", at));
const share = { kind: "share", userID: "ann", microXp: 1, microPoints: 0, of: "digest", at };

describe("isEarnedRow", () => {
  it.each([
    ["a stored fill", fill],
    ["a fill of nothing", { ...fill, coinUnits: "0" }],
    ["a share", share],
    ["a row with a field of a later version", { ...share, later: true }],
  ])("knows %s", (_, row) => {
    expect(isEarnedRow(row)).toBe(true);
  });

  it.each<[string, object]>([
    ["of another kind", { ...fill, kind: "gift" }],
    ["without a user", { ...fill, userID: undefined }],
    ["of an unknown chain", { ...fill, chain: "doge" }],
    ["of another side", { ...fill, side: "short" }],
    ["with an amount below 0", { ...fill, coinUnits: "-1" }],
    ["with an amount that is no whole number", { ...fill, coinUnits: "1.5" }],
    ["with an amount as a number", { ...fill, coinUnits: 1 }],
    ["with an amount that takes long to multiply", { ...fill, coinUnits: "9".repeat(81) }],
    ["without a time of the block", { ...fill, filledAt: undefined }],
    ["with a time that is no date", { ...fill, filledAt: "2026-13-01T00:00:00.000Z" }],
    ["of a year with six digits", { ...fill, filledAt: "+010000-01-01T00:00:00.000Z" }],
    ["with a share below 0", { ...share, microXp: -1 }],
    ["with a part of a millionth", { ...share, microPoints: 0.5 }],
    ["with a share above 2^53", { ...share, microXp: 2 ** 53 }],
  ])("refuses a row %s", (_, row) => {
    expect(isEarnedRow(row)).toBe(false);
  });
});
