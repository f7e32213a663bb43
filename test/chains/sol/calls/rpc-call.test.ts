import { describe, expect, it } from "vitest";
import {
  accountsCall,
  chainTimeCall,
  clusterCall,
  genesisHashCall,
  messageFeeCall,
  recentPricesCall,
  rentCall,
  simulationCall,
} from "../../../../lib/chains/sol/calls/rpc-call.ts";

const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const account = {
  owner: token,
  lamports: 2_039_280,
  data: ["AQID", "base64"],
  executable: false,
  rentEpoch: 2 ** 64,
};
const answer = { context: { slot: 9, apiVersion: "2.0.0" }, value: [account, null] };
const at = { commitment: "finalized", minContextSlot: 8 } as const;

describe("accountsCall", () => {
  const call = accountsCall([token, token], at);

  it("requests all accounts at one slot", () => {
    const { method, params } = call;
    expect({ method, params }).toEqual({
      method: "getMultipleAccounts",
      params: [[token, token], { encoding: "base64", commitment: "finalized", minContextSlot: 8 }],
    });
  });

  it("reads each account in order, with gaps for missing ones", () => {
    const read = { owner: token, lamports: 2_039_280n, data: Uint8Array.of(1, 2, 3) };
    expect(call.read(answer)).toEqual({ slot: 9, accounts: [read, undefined] });
  });

  it.each([
    ["fewer accounts than asked for", { ...answer, value: [account] }],
    ["more accounts than asked for", { ...answer, value: [account, null, null] }],
    ["no slot", { value: answer.value }],
    ["a slot below 0", { ...answer, context: { slot: -1 } }],
    ["a slot below the one asked for", { ...answer, context: { slot: 7 } }],
    ["lamports that JSON has rounded", { ...answer, value: [{ ...account, lamports: 2 ** 60 }, null] }],
    ["data in another encoding", { ...answer, value: [{ ...account, data: ["AQID", "base58"] }, null] }],
    ["data that is not base64", { ...answer, value: [{ ...account, data: ["A(", "base64"] }, null] }],
    ["an owner of 31 bytes", { ...answer, value: [{ ...account, owner: "1".repeat(31) }, null] }],
    ["an owner of 33 bytes", { ...answer, value: [{ ...account, owner: "1".repeat(33) }, null] }],
    ["an owner of a megabyte", { ...answer, value: [{ ...account, owner: "1".repeat(2 ** 20) }, null] }],
  ])("rejects an answer with %s", (_, result) => {
    expect(() => call.read(result)).toThrow();
  });

  it("requests at most 100 accounts per call", () => {
    expect(() => accountsCall(new Array(101).fill(token), at)).toThrow(RangeError);
  });
});

describe("calls for genesis hash, chain time and rents", () => {
  it("reads valid answers of hosts", () => {
    const hash = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
    expect(genesisHashCall().read(hash)).toBe(hash);
    const info = { epoch: 7, absoluteSlot: 3_000, blockHeight: 2_900, slotIndex: 1, slotsInEpoch: 432_000 };
    expect(chainTimeCall(at).read(info)).toEqual({ epoch: 7, slot: 3000, blockHeight: 2900 });
    expect(rentCall(165, at).read(2_039_280)).toBe(2_039_280n);
  });

  it("rejects malformed answers", () => {
    expect(() => genesisHashCall().read("0x1")).toThrow();
    expect(() => chainTimeCall(at).read({ epoch: 7, absoluteSlot: 9.5, blockHeight: 1 })).toThrow();
    expect(() => chainTimeCall(at).read({ epoch: 7, absoluteSlot: 7, blockHeight: 1 })).toThrow();
    expect(() => rentCall(165, at).read("2039280")).toThrow();
  });
});

describe("clusterCall", () => {
  it("reads the first characters of the genesis hash", () => {
    const hash = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
    expect(clusterCall().read(hash)).toBe("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp");
    expect(() => clusterCall().read(hash.slice(0, 32))).toThrow();
  });
});

describe("calls for fees and prices", () => {
  const of = (value: unknown) => ({ context: { slot: 9 }, value });
  const message = Uint8Array.of(0x80, 1, 0, 0);

  it("reads a message's fee and recent prices", () => {
    expect(messageFeeCall(message, at)).toMatchObject({
      method: "getFeeForMessage",
      params: ["gAEAAA==", { commitment: "finalized" }],
    });
    expect(messageFeeCall(message, at).read(of(5000))).toBe(5000n);
    expect(messageFeeCall(message, at).read(of(null))).toBeUndefined();
    expect(recentPricesCall([token]).read([{ slot: 1, prioritizationFee: 7 }])).toEqual([7n]);
    expect(recentPricesCall([token]).params).toEqual([[token], { percentile: 5000 }]);
    for (const bad of [of(-1), of("5000"), 5000])
      expect(() => messageFeeCall(message, at).read(bad)).toThrow();
    expect(() => recentPricesCall([token]).read([{ slot: 1 }])).toThrow();
  });
});

describe("simulationCall", () => {
  const message = Uint8Array.of(0x80, 2, 0, 0, 7);
  const read = (err: unknown, unitsConsumed?: unknown) =>
    simulationCall(message, at).read({ context: { slot: 9 }, value: { err, logs: [], unitsConsumed } });

  it("sends as many empty signatures as the message needs", () => {
    const { method, params } = simulationCall(message, at);
    const [wire, options] = params as [string, object];
    const bytes = Buffer.concat([Buffer.of(2), Buffer.alloc(128), message]);
    expect([method, wire]).toEqual(["simulateTransaction", bytes.toString("base64")]);
    expect(options).toEqual({
      encoding: "base64",
      sigVerify: false,
      replaceRecentBlockhash: true,
      commitment: "finalized",
      minContextSlot: 8,
    });
  });

  it("shows the accounts that exist after the transaction", () => {
    const { params, read: readShown } = simulationCall(message, at, ["A", "B"]);
    expect(params[1]).toMatchObject({ accounts: { encoding: "base64", addresses: ["A", "B"] } });
    const shown = { owner: token, lamports: 7, data: ["AQI=", "base64"] };
    const value = { err: null, unitsConsumed: 1, accounts: [shown, null] };
    expect(readShown({ context: { slot: 9 }, value }).accounts).toEqual([
      { owner: token, lamports: 7n, data: Uint8Array.of(1, 2) },
      undefined,
    ]);
  });

  it.each(["AccountNotFound", "InsufficientFundsForFee", { InsufficientFundsForRent: { account_index: 0 } }])(
    "reads from the error %j that the payer cannot pay",
    (err) => {
      expect(read(err)).toEqual({ computeUnits: 0, isDone: false, isUnfunded: true });
    },
  );

  it("reads the transaction's effects", () => {
    expect(read(null, 5)).toEqual({ computeUnits: 5, isDone: true });
    expect(read({ InstructionError: [6, { Custom: 6005 }] }, 9)).toEqual({
      computeUnits: 9,
      isDone: false,
      failedAt: 6,
      code: 6005,
    });
    expect(read({ InstructionError: [6, "InvalidAccountData"] }, 9)).toMatchObject({ failedAt: 6 });
    expect(read({ InsufficientFundsForRent: { account_index: 1 } }, null)).toEqual({
      computeUnits: 0,
      isDone: false,
    });
    expect(() => read(null, -1)).toThrow();
    const old = { context: { slot: 7 }, value: { err: null } };
    expect(() => simulationCall(message, at).read(old)).toThrow();
  });
});
