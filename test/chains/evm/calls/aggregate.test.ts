import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { decodeAggregate, encodeAggregate } from "../../../../lib/chains/evm/calls/aggregate.ts";
import { multicallABI } from "../../../../lib/chains/evm/calls/contract-abi.ts";

const to = "0xcA11bde05977b3631167028862bE2a173976CA11";
const hex = (length: number) => `0x${randomBytes(length).toString("hex")}`;
const lengths = [0, 1, 4, 31, 32, 33, 64, 100];
const word = (value: number) => value.toString(16).padStart(64, "0");

describe("encodeAggregate", () => {
  it("encodes calls exactly like the ABI library", () => {
    const calls = lengths.map((length) => ({ to, data: hex(length) }));
    const expected = calls.map(({ data }) => ({ target: to, allowFailure: true, callData: data }));
    for (const count of [0, 1, calls.length])
      expect(encodeAggregate(calls.slice(0, count))).toBe(
        multicallABI.encodeFunctionData("aggregate3", [expected.slice(0, count)]),
      );
  });
});

describe("decodeAggregate", () => {
  const answers = lengths.map((length, index) => ({ success: index % 2 === 0, returnData: hex(length) }));
  const encoded = multicallABI.encodeFunctionResult("aggregate3", [
    answers.map(({ success, returnData }) => [success, returnData]),
  ]);

  it("decodes answers of every length", () => {
    expect(decodeAggregate(encoded, answers.length)).toEqual(answers);
    expect(decodeAggregate(multicallABI.encodeFunctionResult("aggregate3", [[]]), 0)).toEqual([]);
  });

  it("rejects a wrong number of answers", () => {
    for (const count of [0, answers.length - 1, answers.length + 1])
      expect(() => decodeAggregate(encoded, count)).toThrow("missing");
  });

  it("rejects an answer that is cut off anywhere before the end of its data", () => {
    for (let length = 2; length < encoded.length - 64; length += 32)
      expect(() => decodeAggregate(encoded.slice(0, length), answers.length)).toThrow();
  });

  it("rejects positions and lengths outside of the answer", () => {
    for (const huge of [word(2 ** 50), "f".repeat(64), word(1000)]) {
      expect(() => decodeAggregate(`0x${huge}`, 1)).toThrow();
      expect(() => decodeAggregate(`0x${word(32)}${word(1)}${huge}`, 1)).toThrow();
      const item = `0x${word(32)}${word(1)}${word(32)}${word(1)}`;
      expect(() => decodeAggregate(`${item}${huge}${word(0)}`, 1)).toThrow();
      expect(() => decodeAggregate(`${item}${word(64)}${huge}${word(0)}`, 1)).toThrow();
    }
  });
});
