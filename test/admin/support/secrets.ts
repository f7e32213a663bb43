import bs58 from "bs58";
import { expect } from "vitest";
import type { Finished } from "./admin.ts";

const secrets = new Set<string>();
const texts: string[] = [];

/** From here on nothing may print these bytes, or their beginning, in any of the forms that they could take. */
export function keepSecret(bytes: Uint8Array): void {
  for (const part of [Buffer.from(bytes), Buffer.from(bytes.subarray(0, 12))]) {
    const encodings = ["hex", "base64", "base64url", "latin1"] as const;
    const hexPairs = Array.from(part, (byte) => byte.toString(16).padStart(2, "0"));
    for (const encoding of encodings) secrets.add(part.toString(encoding).replace(/=+$/, ""));
    for (const form of [bs58.encode(part), part.join(","), part.join(", "), hexPairs.join(" ")])
      secrets.add(form);
  }
}

/** Notes what a run printed. */
export function printed(finished: Finished): Finished {
  texts.push(finished.out, finished.err);
  return finished;
}

/** Looks through everything that was printed so far. */
export function expectNoSecretPrinted(): void {
  const everything = texts.join("\n");
  const found = [...secrets].filter((secret) => everything.includes(secret));
  expect(found).toEqual([]);
}
