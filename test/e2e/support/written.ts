import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { formsOf, type Key, keysMade } from "../../support/keys.ts";

/** Folders with a run's output and its secrets, for the search at the end. */
export type Written = {
  /** Output of the runner, and all responses to clients. */
  folder: string;
  /** A separate folder that holds one line of JSON for each secret that was sent. */
  secrets: string;
};

/** A secret that a test has sent. No part of it may appear in any output, and only a stored word in the database. */
export type Secret = {
  kind: "EVM key" | "Solana key" | "key as sent" | "token" | "word" | "stored word";
  texts: string[];
};

declare module "vitest" {
  interface ProvidedContext {
    written: Written;
  }
}

/** @returns undefined in the checks of `npm run verify`, which write nothing. */
const place = (): Written | undefined => inject("written");

const noted = new Set<string>();

/** Records a secret before it is sent. */
export function noteSecret(kind: Secret["kind"], texts: string[]): void {
  const written = place();
  if (written === undefined) return;
  const secrets = texts.filter(isUnlikely);
  const line = `${JSON.stringify({ kind, texts: secrets } satisfies Secret)}\n`;
  if (secrets.length === 0 || noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(written.secrets, `${process.pid}.jsonl`), line);
}

/** Excludes texts, such as zeros, that any file may contain by chance. */
const isUnlikely = (text: string) => text.length >= 24 && new Set(text).size >= 8;

/** Records the tokens and private keys in a request, and all keys created since the last request. */
export function noteSecretsIn(request: { head: readonly string[]; body?: unknown }): void {
  for (const key of keysMade.splice(0)) noteKey(key);
  for (const [token] of request.head.join("\n").matchAll(/[\w-]+\.[\w-]+\.[\w-]*/g)) noteToken(token);
  const key = privateKeyIn(request.body);
  if (key !== undefined) noteSecret("key as sent", [key]);
}

/** Searches for the raw bytes as well, as text with one character per byte. */
function noteKey(key: Key): void {
  const kind = key.network === "sol" ? "Solana key" : "EVM key";
  noteSecret(kind, [...formsOf(key), key.secret.toString("latin1")]);
}

/**
 * Searches only for the token's signature, because all tokens of an issuer start alike and the runner prints one on
 * purpose.
 */
function noteToken(token: string): void {
  const [, , signature = ""] = token.split(".");
  noteSecret("token", [signature.length < 20 ? token.slice(-60) : signature]);
}

function privateKeyIn(body: unknown): string | undefined {
  const text = typeof body === "string" ? body : JSON.stringify(body ?? null);
  return /"privateKey":"([^"\\]{24,300})"/.exec(text)?.[1];
}

/** Records a response to a client. */
export function keepAnswer(text: string): void {
  const written = place();
  if (written === undefined) return;
  appendFileSync(join(written.folder, `answers-${process.pid}.log`), `${text}\n`);
}
