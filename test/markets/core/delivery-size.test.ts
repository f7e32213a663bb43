import { describe, expect, it } from "vitest";
import { fitting } from "../../../lib/markets/core/delivery-size.ts";
import type { ChangedRecord } from "../../../lib/markets/core/market-delivery.ts";
import type { MinuteRecord } from "../../../lib/markets/core/market-record.ts";

const minute: MinuteRecord = {
  time: "2026-11-21T09:00:00.000Z",
  open: "1",
  high: "1",
  low: "1",
  close: "1",
  volume: "9".repeat(400),
  trades: 1,
};

const changed = (token: string, minutes?: readonly MinuteRecord[]): ChangedRecord => ({
  record: {
    chain: "base",
    token,
    symbol: "MÖÖN",
    flags: [],
    revision: 0,
    block: 1,
    asOf: "2026-11-21T09:00:00.000Z",
    ...(minutes && { minutes }),
  },
  changedAtMs: 1,
});

const namesOf = (records: readonly ChangedRecord[]) => records.map(({ record }) => record.token);

describe("fitting", () => {
  it("keeps all records and their minutes while they fit", () => {
    const records = [changed("0xa", [minute]), changed("0xb")];
    expect(fitting(records, 0)).toEqual(records);
    expect(fitting([], 7)).toEqual([]);
  });

  it("drops minutes before records, and never exceeds the number of bytes", () => {
    const records = ["0xa", "0xb", "0xc", "0xd"].map((token) => changed(token, [minute]));
    for (let most = 100; most < 3000; most += 50) {
      const kept = fitting(records, 0, most);
      expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(most + 1);
      const withMinutes = kept.filter(({ record }) => record.minutes).length;
      if (withMinutes === 4) expect(kept).toEqual(records);
    }
    expect(namesOf(fitting(records, 0, 1000))).toEqual(["0xa", "0xb", "0xc"]);
    expect(fitting(records, 0, 1000).map(({ record }) => record.minutes?.length)).toEqual([
      1,
      undefined,
      undefined,
    ]);
  });

  it("begins with another record each time", () => {
    const records = ["0xa", "0xb", "0xc"].map((token) => changed(token));
    expect([0, 1, 2, 3].map((first) => namesOf(fitting(records, first, 150)))).toEqual([
      ["0xa"],
      ["0xb"],
      ["0xc"],
      ["0xa"],
    ]);
  });
});
