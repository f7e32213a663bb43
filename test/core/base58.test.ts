import bs58 from "bs58";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { PublicKey } from "../../lib/chains/sol/calls/rpc-call.ts";
import { base58Bytes, isBase58 } from "../../lib/core/base58.ts";
import { cpuMs } from "../support/cpu-time.ts";

const bytes = (length: number, value = 255) => new Uint8Array(length).fill(value);

describe("isBase58", () => {
  it.each([
    ["32 bytes", bs58.encode(bytes(32)), 32, true],
    ["32 zeros", bs58.encode(bytes(32, 0)), 32, true],
    ["64 bytes", bs58.encode(bytes(64)), 64, true],
    ["31 bytes", bs58.encode(bytes(31)), 32, false],
    ["33 bytes", bs58.encode(bytes(33)), 32, false],
    ["other text", "0".repeat(40), 32, false],
    ["nothing", "", 32, false],
  ] as const)("decides whether %s is base58 of the expected length", (_, text, length, isOne) => {
    expect(isBase58(text, length)).toBe(isOne);
  });

  it("rejects long text without decoding it, which would take a minute", () => {
    const long = "z".repeat(1_000_000);
    expect(cpuMs(() => base58Bytes(long, 64))).toBeLessThan(50);
    expect(cpuMs(() => v.safeParse(PublicKey, long))).toBeLessThan(50);
  });
});
