import bs58 from "bs58";
import { expect } from "vitest";

/** Result of one run of the program. */
export type Finished = { code: number | null; out: string; err: string };

const secrets = new Set<string>();
const texts: string[] = [];

/** Registers bytes that no later output may contain, even partly and in any encoding. */
export function keepSecret(bytes: Uint8Array): void {
  for (const part of [Buffer.from(bytes), Buffer.from(bytes.subarray(0, 12))]) {
    const encodings = ["hex", "base64", "base64url", "latin1"] as const;
    const hexPairs = Array.from(part, (byte) => byte.toString(16).padStart(2, "0"));
    for (const encoding of encodings) secrets.add(part.toString(encoding).replace(/=+$/, ""));
    for (const form of [bs58.encode(part), part.join(","), part.join(", "), hexPairs.join(" ")])
      secrets.add(form);
  }
}

/** Collects the output of a run for {@link expectNoSecretPrinted}. */
export function printed(finished: Finished): Finished {
  texts.push(finished.out, finished.err);
  return finished;
}

/** Searches all output so far for registered secrets. */
export function expectNoSecretPrinted(): void {
  const everything = texts.join("\n");
  const found = [...secrets].filter((secret) => everything.includes(secret));
  expect(found).toEqual([]);
}
