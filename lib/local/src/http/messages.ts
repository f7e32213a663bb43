import { validateHeaderName, validateHeaderValue } from "node:http";

/** A header or query parameter. The same name may occur several times. */
export type Pair = readonly [name: string, value: string];

/** An HTTP request without its socket. */
export type GatewayRequest = {
  method: string;
  /**
   * The request target as sent: path and query, percent-encoded. An absolute-form target begins with scheme and host.
   */
  target: string;
  /** All headers in the order and case in which they were sent. */
  headers: readonly Pair[];
  body: Buffer;
  sourceIp: string;
};

/** An HTTP answer without its socket. The server adds Content-Length, Date and Connection. */
export type GatewayResponse = { status: number; headers: readonly Pair[]; body: Buffer };

export type Handle = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Answers the requests of one service, and returns undefined for all others. */
export type Route = (request: GatewayRequest) => Promise<GatewayResponse> | undefined;

export function json(status: number, body: unknown, ...headers: Pair[]): GatewayResponse {
  return {
    status,
    headers: [["Content-Type", "application/json"], ...headers],
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Reads the path of a request's target, without its query. */
export function pathOf({ target }: GatewayRequest): string {
  return target.split("?", 1)[0] ?? "";
}

/** Reads the last value of a header. */
export function header({ headers }: { headers: readonly Pair[] }, lowerCaseName: string): string | undefined {
  return headers.findLast(([name]) => name.toLowerCase() === lowerCaseName)?.[1];
}

/** Replaces all headers of the same name, in any case, by the overrides. */
export function withOverrides(headers: readonly Pair[], overrides: readonly Pair[]): Pair[] {
  const names = new Set(overrides.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...overrides];
}

/** Two views of the same pairs: the last value of each name, and all values in order. */
export type ValueMaps = { single: Record<string, string>; multi: Record<string, string[]> };

/** @param keyOf maps different spellings of a name to the same key; the maps use the first spelling */
export function valueMaps(
  pairs: Iterable<Pair>,
  keyOf: (name: string) => string = (name) => name,
): ValueMaps {
  const entries = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of pairs) {
    const known = entries.get(keyOf(name));
    if (known) known.values.push(value);
    else entries.set(keyOf(name), { name, values: [value] });
  }
  const all = [...entries.values()];
  return {
    single: Object.fromEntries(all.map(({ name, values }) => [name, values.at(-1) ?? ""])),
    multi: Object.fromEntries(all.map(({ name, values }) => [name, values])),
  };
}

/** Encodes a header's text as one character per byte of its UTF-8, as Node sends and receives headers. */
export function toWire(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

export function fromWire(text: string): string {
  // Skips decoding for ASCII, which nearly every header is.
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text;
}

/** True if HTTP can carry a header. A line break in its value, for example, would start another header. */
export function isSendable([name, value]: Pair): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, toWire(value));
    return true;
  } catch {
    return false;
  }
}
