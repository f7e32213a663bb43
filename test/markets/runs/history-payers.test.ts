import { beforeEach, describe, expect, it } from "vitest";
import { HistoryPayers } from "../../../lib/markets/runs/history-payers.ts";

const noon = Date.parse("2026-11-22T12:00:00Z");
const hourMs = 3_600_000;

let payers: HistoryPayers;
beforeEach(() => {
  payers = new HistoryPayers();
});

describe("HistoryPayers", () => {
  it("offers all users of a token in their order, and at most 100 at a time", () => {
    const users = Array.from({ length: 250 }, (_, index) => `user ${index}`);
    expect(payers.among(users, noon)).toEqual(users.slice(0, 100));
    for (const userID of users.slice(0, 200)) payers.spend(userID, noon);
    expect(payers.among(users, noon)).toEqual(users.slice(200));
  });

  it("offers nobody, rather than the token itself, if none of its users can pay", () => {
    expect(payers.among([], noon)).toEqual([]);
    payers.spend("ann", noon);
    expect(payers.among(["ann"], noon)).toBeUndefined();
  });

  it("offers a user again on the next day in UTC", () => {
    payers.spend("ann", noon);
    expect(payers.among(["ann"], noon + 12 * hourMs - 1)).toBeUndefined();
    expect(payers.among(["ann"], noon + 12 * hourMs)).toEqual(["ann"]);
  });

  it("pauses a user after each failure, at most about 150 times a day, until a history is loaded", () => {
    let begun = 0;
    for (let nowMs = noon; nowMs < noon + 24 * hourMs; nowMs += 1000) {
      if (payers.among(["ann"], nowMs) === undefined) continue;
      payers.begin("ann", nowMs);
      begun++;
    }
    expect(begun).toBe(147);
    payers.succeed("ann");
    expect(payers.among(["ann"], noon + 24 * hourMs)).toEqual(["ann"]);
  });
});
