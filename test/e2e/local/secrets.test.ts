import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampled } from "../../cases/sample.ts";
import { forgeries } from "../../cases/tokens.ts";
import { newEvmKey, newSolanaKey } from "../../support/keys.ts";
import { abuse } from "../support/abuse.ts";
import { localRunner } from "../support/deployment.ts";
import { abuseStreams } from "../support/stream-abuse.ts";
import { forged } from "../support/tokens.ts";
import { issueToken, newUser } from "../support/users.ts";
import { noteSecret } from "../support/written.ts";

/** Makes a secret word that occurs nowhere else. */
function newWord(): string {
  const word = `word${randomBytes(12).toString("hex")}`;
  noteSecret("word", [word]);
  return word;
}

describe("secrets in every place of a request", () => {
  // Records the secrets, so that test/e2e/last searches the output for them.
  it("refuses secrets in wrong places, and never with a 500", { timeout: 240_000 }, async () => {
    const halves = [newEvmKey().privateKey.slice(2, 62), newSolanaKey().privateKey.slice(0, 80)];
    const badKeys = [
      ...halves,
      newEvmKey().privateKey,
      newSolanaKey().privateKey,
      `${newEvmKey().privateKey}00`,
    ];
    for (const key of badKeys) noteSecret("key as sent", [key]);
    const { id, token } = await newUser();
    const expired = await issueToken({ sub: id, expiresIn: -60 });
    const bad = await Promise.all(sampled(forgeries).map(({ value }) => forged(value, token)));
    const sent = {
      keys: [newEvmKey(), newSolanaKey()],
      badKeys,
      words: [newWord(), newWord()],
      goodToken: token,
      badTokens: [expired, ...bad, newWord(), `${newWord()}.${newWord()}.${newWord()}`],
    };

    const answers = await abuse(sent);
    const streams = await abuseStreams(sent);

    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThan(20);
    expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThan(20);
    for (const { status } of streams.refusals) expect(status).toBe(401);
    expect(streams.errors).toBeGreaterThan(50);
  });
});

describe("the data directory", () => {
  it("is readable by its owner only", async () => {
    const { dataDir } = localRunner();
    const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
    expect(files.length).toBeGreaterThan(3);
    for (const file of files.filter(({ parentPath }) => !parentPath.includes("cdk.out"))) {
      // Files come and go: each is written under a temporary name and then renamed.
      const found = await stat(join(file.parentPath, file.name)).catch(() => undefined);
      expect((found?.mode ?? 0) & 0o077, file.name).toBe(0);
    }
  });
});
