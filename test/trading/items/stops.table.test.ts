import { afterEach, describe, expect, it, vi } from "vitest";
import type { Table } from "../../../lib/table/table.ts";
import { earlierStopKey } from "../../../lib/trading/items/keys.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { startTrading } from "../../../lib/trading/items/stops.ts";
import { readOrderTerms } from "../../../lib/trading/items/trader-records.ts";
import { readLane, readPlacing } from "../../../lib/trading/items/views.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";
import { slot } from "../../support/trading.ts";

const db = tableForTests();
const day = "2026-11-21";
const lane = { chain: "base", wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" } as const;
const request = { ...lane, userID: "u", orderId: "o", place: 0, purpose: "swap", fees: slot().fees } as const;

/** Returns a table object with an empty cache, as in a new process. */
const newProcess = (): Table => ({ ...db.table });

const stop = () => putItems(db.table, [{ ...earlierStopKey("base"), stoppedAt: "2026-11-20T08:00:00.000Z" }]);

describe("a stop of trading that an earlier build has written", () => {
  afterEach(() => startTrading(db.table, ["base"]));

  it.each<[string, (table: Table) => Promise<{ isStopped: boolean }>]>([
    ["placing", (table) => readPlacing(table, { lane, day, userID: "u", key: "k" })],
    ["executing", (table) => readLane(table, { lane, day })],
    [
      "executing an expected job",
      (table) => readLane(table, { lane, day, job: { ...request, token: "0xT" } }),
    ],
    ["signing", async (table) => (await readSigning(table, { request, day })).view],
    ["quoting", (table) => readOrderTerms(table, { ...lane, day, userID: "u" })],
  ])(
    "obeys an earlier build's stop when %s, on its chain only, until trading is started",
    async (_, read) => {
      await stop();
      const table = newProcess();
      expect(await read(table)).toMatchObject({ isStopped: true });
      expect(await read(table)).toMatchObject({ isStopped: true });
      expect(await readLane(table, { lane: { ...lane, chain: "eth" }, day })).toMatchObject({
        isStopped: false,
      });
      await startTrading(db.table, ["base"]);
      expect(await read(table)).toMatchObject({ isStopped: false });
    },
  );

  it("notices an earlier build's stop after a minute if there was none before", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const table = newProcess();
      const read = () => readLane(table, { lane, day });
      expect(await read()).toMatchObject({ isStopped: false });
      await stop();
      vi.advanceTimersByTime(59_999);
      expect(await read()).toMatchObject({ isStopped: false });
      vi.advanceTimersByTime(1);
      expect(await read()).toMatchObject({ isStopped: true });
    } finally {
      vi.useRealTimers();
    }
  });
});
