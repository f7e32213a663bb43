import { expect } from "vitest";
import { partIn } from "../../support/traces.ts";
import type { Answer } from "./client.ts";
import { text } from "./shapes.ts";

/** An error of the endpoints that say `{message}`, and exactly that. */
export function expectMessage(answer: Answer, status: number, says: RegExp = /\S/): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.json).toStrictEqual({ message: text });
  expect((answer.json as { message: string }).message).toMatch(says);
}

/** An error of the gateway and of the endpoints that say `{error}`, and exactly that. */
export function expectError(answer: Answer, status: number, says: RegExp = /\S/): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.json).toStrictEqual({ error: text });
  expect((answer.json as { error: string }).error).toMatch(says);
}

/** The caller is told to send another token, and only of an expired one that a refresh will do. */
export function expectUnauthorized(
  answer: Answer,
  { expired }: { expired: boolean } = { expired: false },
): void {
  expect(answer.status, answer.text).toBe(401);
  expect(answer.json).toStrictEqual(expired ? { error: text, needsRefresh: true } : { error: text });
}

/** A refusal that may come from the gateway or from the operation: 4xx, as JSON that says why. */
export function expectRefusal(answer: Answer, ...statuses: number[]): void {
  expect(statuses, answer.text).toContain(answer.status);
  const { error, message } = answer.json as Record<string, unknown>;
  expect(error ?? message).toEqual(text);
}

/** Neither the body nor a header holds 12 characters in a row of the secret. */
export function expectNoTraceOf(secret: string, answer: Answer): void {
  expect(partIn(answer.text, [secret])).toBeUndefined();
  expect(partIn(JSON.stringify([...answer.headers]), [secret])).toBeUndefined();
}
