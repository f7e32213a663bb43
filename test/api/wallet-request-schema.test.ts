import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { WalletEventPageSchema } from "../../lib/api/wallet-request-schema.ts";

const time = "2026-11-22T10:00:00.000Z";

describe("WalletEventPageSchema", () => {
  it("shows when an export becomes possible, and drops fields outside the schema", () => {
    const shown = { type: "exportRequested" as const, time, availableAt: "2026-11-23T10:00:00.000Z" };
    const events = [{ ...shown, userID: "ann", publicKey: "x" }];
    const page = v.parse(WalletEventPageSchema, { success: true, data: { events }, timestamp: time });
    expect(page.data.events).toEqual([shown]);
  });
});
