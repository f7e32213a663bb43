import { expect } from "vitest";
import { partIn } from "../../support/traces.ts";
import type { Answer } from "./client.ts";
import { text } from "./shapes.ts";

/** Expects an error with exactly the body `{message}`. */
export function expectMessage(answer: Answer, status: number, says: RegExp = /\S/): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.json).toStrictEqual({ message: text });
  expect((answer.json as { message: string }).message).toMatch(says);
}

/** Expects an error with exactly the body `{error}`. */
export function expectError(answer: Answer, status: number, says: RegExp = /\S/): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.json).toStrictEqual({ error: text });
  expect((answer.json as { error: string }).error).toMatch(says);
}

/** Expects a 401 that asks for a refresh only if the token has expired. */
export function expectUnauthorized(
  answer: Answer,
  { expired }: { expired: boolean } = { expired: false },
): void {
  expect(answer.status, answer.text).toBe(401);
  expect(answer.json).toStrictEqual(expired ? { error: text, needsRefresh: true } : { error: text });
}

/** Expects a 4xx from the gateway or the operation, as JSON with a reason. */
export function expectRefusal(answer: Answer, ...statuses: number[]): void {
  expect(statuses, answer.text).toContain(answer.status);
  const { error, message } = answer.json as Record<string, unknown>;
  expect(error ?? message).toEqual(text);
}

/** Expects that neither the body nor a header contains 12 successive characters of the secret. */
export function expectNoTraceOf(secret: string, answer: Answer): void {
  expect(partIn(answer.text, [secret])).toBeUndefined();
  expect(partIn(JSON.stringify([...answer.headers]), [secret])).toBeUndefined();
}
