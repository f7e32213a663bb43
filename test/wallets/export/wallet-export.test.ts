import { describe, expect, it } from "vitest";
import { exportRequestIn, newExportRequest } from "../../../lib/wallets/export/wallet-export.ts";
import { thumbprintOf } from "../../../lib/wallets/keys/sealing.ts";
import { newWallet } from "../../../lib/wallets/wallet.ts";
import { exportKeyPair } from "../../support/sealing.ts";

const now = new Date("2026-11-22T10:00:00.000Z");
const [{ jwk: own }, { jwk: another }] = await Promise.all([exportKeyPair(), exportKeyPair()]);
const named = { userID: "ann", network: "eth", address: `0x${"aB".repeat(20)}`, now } as const;
const wallet = { ...newWallet("imported", named), slot: 1, version: 1 };
const request = newExportRequest(wallet, { publicKey: own, delaySeconds: 60 }, now);
const { requestedAt: _, ...undated } = request;
const { thumbprint: __, ...unmarked } = request;

describe("exportRequestIn", () => {
  it("reads back requests that were written or cancelled", () => {
    expect(exportRequestIn(request)).toEqual(request);
    const cancelled = { ...request, version: request.version + 1, cancelledAt: now.toISOString() };
    expect(exportRequestIn(cancelled)).toEqual(cancelled);
    const solana = { ...request, network: "sol", address: "1".repeat(32) };
    expect(exportRequestIn(solana)).toEqual(solana);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["text", "x"],
    ["a version that is text", { ...request, version: "1" }],
    ["a negative version", { ...request, version: -1 }],
    ["a version with a fraction", { ...request, version: 1.5 }],
    ["a version of 2^53", { ...request, version: 2 ** 53 }],
    ["an infinite version", { ...request, version: Number.POSITIVE_INFINITY }],
    ["a bigint", { ...request, version: 1n }],
    ["no thumbprint", unmarked],
    ["the thumbprint of another key", { ...request, thumbprint: thumbprintOf(another) }],
    ["two thumbprints", { ...request, thumbprint: [request.thumbprint, thumbprintOf(another)] }],
    ["a set of thumbprints", { ...request, thumbprint: new Set([request.thumbprint]) }],
    ["a point that is not on the curve", withKey({ ...own, y: another.y })],
    ["a coordinate with padding", withKey({ ...own, x: `${own.x}=` })],
    ["a coordinate in another form", withKey({ ...own, x: nextDigit(own.x) })],
    ["a short coordinate", withKey({ ...own, y: own.y.slice(1) })],
    ["a set of coordinates", { ...request, publicKey: { ...own, x: new Set([own.x]) } }],
    ["the private part of a key", withKey({ ...own, d: own.x })],
    ["another curve", withKey({ ...own, crv: "P-384" })],
    ["no key", { ...request, publicKey: null }],
    ["an end that is text", { ...request, expiresAt: "tomorrow" }],
    ["no date", undated],
    ["a date that is no time", { ...request, requestedAt: "yesterday" }],
    ["a cancellation that is no time", { ...request, cancelledAt: true }],
    ["an unknown field", { ...request, seenAt: "2020-01-01T00:00:00.000Z" }],
    ["another network", { ...request, network: "btc" }],
    ["an address that is too long for a key", { ...request, address: "x".repeat(2000) }],
    ["an address that is a set", { ...request, address: new Set([request.address]) }],
    ["a user that is a number", { ...request, userID: 7 }],
  ])("reads %s as no export request", (_, stored) => {
    expect(exportRequestIn(stored)).toBeUndefined();
  });
});

/** Keeps the thumbprint consistent with the key, so that only the key is invalid. */
function withKey(publicKey: Record<string, string>) {
  return { ...request, publicKey, thumbprint: thumbprintOf(publicKey as typeof own) };
}

/** Returns a different text that base64url decodes to the same bytes, because two bits of the last digit are unused. */
function nextDigit(text: string): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return text.slice(0, -1) + digits[digits.indexOf(text.at(-1) ?? "") + 1];
}
