import { describe, expect, it } from "vitest";
import { landedCall, mostStatuses, statusesCall } from "../../../../lib/chains/sol/calls/transaction-call.ts";

const context = { slot: 60 };

describe("statusesCall", () => {
  it("requests at most as many statuses as Solana's hosts return in one answer", () => {
    expect(mostStatuses).toBe(256);
  });

  const read = (status: object) =>
    statusesCall(["id"]).read({ context, value: [{ slot: 40, ...status }] })[0];

  it.each([
    [{ confirmations: 3, confirmationStatus: "processed" }, undefined],
    [{ confirmations: 20, confirmationStatus: "confirmed" }, undefined],
    [{ confirmations: null, confirmationStatus: "finalized" }, 40],
    [{ confirmations: null, confirmationStatus: null }, 40],
    [{ confirmations: 1, confirmationStatus: "a level of later years" }, undefined],
    [{ confirmations: 3, confirmationStatus: null }, undefined],
  ])("reads the status %o", (status, found) => {
    expect(read(status)).toEqual(found);
  });
});

describe("landedCall", () => {
  const meta = {
    err: null,
    fee: 5000,
    computeUnitsConsumed: 1,
    preBalances: [9],
    postBalances: [4],
    preTokenBalances: [],
    postTokenBalances: [],
  };
  const read = (blockTime: unknown, shown: object = meta) =>
    landedCall("id").read({ slot: 40, blockTime, transaction: ["AQID", "base64"], meta: shown });

  it("reads a transaction with the time of its block", () => {
    expect(read(1_795_291_200)).toMatchObject({ slot: 40, time: 1_795_291_200, fee: 5000n });
  });

  it("leaves out compute units if a host does not state them", () => {
    const { computeUnitsConsumed: _, ...silent } = meta;
    expect(read(1_795_291_200)).toMatchObject({ computeUnits: 1 });
    expect(read(1_795_291_200, silent)).not.toHaveProperty("computeUnits");
  });

  it.each([
    [null, undefined],
    ["InsufficientFundsForFee", "unfunded"],
    [{ InsufficientFundsForRent: { account_index: 0 } }, "unfunded"],
    [{ InsufficientFundsForRent: { account_index: 1 } }, "other"],
    ["ProgramAccountNotFound", "other"],
    [{ InstructionError: [7, { Custom: 6005 }] }, { index: 7, code: 6005 }],
    [{ InstructionError: [7, "IncorrectProgramId"] }, { index: 7, code: undefined }],
  ])("reads the error %j", (err, failure) => {
    expect(read(1_795_291_200, { ...meta, err })?.failure).toEqual(failure);
  });

  it("treats a transaction whose block has no time yet as missing", () => {
    expect(read(null)).toBeUndefined();
  });

  it("rejects an invalid block time", () => {
    expect(read(253_402_300_799)).toBeDefined();
    expect(() => read(253_402_300_800)).toThrow();
  });
});
