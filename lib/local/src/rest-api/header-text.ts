import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Pair } from "./messages.ts";

/** Text of a header as the bytes of its UTF-8, one character each, which is how Node sends and receives headers. */
export function toWire(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

export function fromWire(text: string): string {
  // Nearly every header is plain ASCII, which is the same in both.
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text;
}

/** Whether HTTP can carry that header: a line break in a value, say, would begin another header. */
export function isSendable([name, value]: Pair): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, toWire(value));
    return true;
  } catch {
    return false;
  }
}
