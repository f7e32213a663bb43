import { validateHeaderName, validateHeaderValue } from "node:http";

/** One header or query parameter; a name may come several times, in any case. */
export type Pair = readonly [name: string, value: string];

/** An HTTP request without its socket. */
export type GatewayRequest = {
  method: string;
  /** The request target as sent: path and query, percent-encoded. An absolute-form target has its origin in front. */
  target: string;
  /** In the order, case and number in which they were sent. */
  headers: readonly Pair[];
  body: Buffer;
  sourceIp: string;
};

/** An HTTP answer without its socket. Content-Length, Date and Connection are the server's to add. */
export type GatewayResponse = { status: number; headers: readonly Pair[]; body: Buffer };

/** Two views of the same pairs: the last value of each name, and all of them in order. */
export type ValueMaps = { single: Record<string, string>; multi: Record<string, string[]> };

/** @param keyOf pairs of one key are the same name, written as in the first of them */
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

/** The values of a header, in the order in which they were sent. */
export function headerValues(headers: readonly Pair[], lowerCaseName: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === lowerCaseName).map(([, value]) => value);
}

/** The headers with those of the same name replaced, whatever their case. */
export function withOverrides(headers: readonly Pair[], overrides: readonly Pair[]): Pair[] {
  const names = new Set(overrides.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...overrides];
}

/** Answers a request that no socket is part of. */
export type Handle = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Answers a request, or gives undefined for one that is meant for somebody else. */
export type Route = (request: GatewayRequest) => Promise<GatewayResponse> | undefined;

export function json(status: number, body: unknown, ...headers: Pair[]): GatewayResponse {
  return {
    status,
    headers: [["Content-Type", "application/json"], ...headers],
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** The path of a request's target, without its query. */
export function pathOf({ target }: GatewayRequest): string {
  return target.split("?", 1)[0] ?? "";
}

/** The last value of a header, or undefined. */
export function header({ headers }: GatewayRequest, name: string): string | undefined {
  return headers.findLast(([sent]) => sent.toLowerCase() === name)?.[1];
}

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

/**
 * Whether a body counts as binary. Recorded: of an Accept header only the first type counts, and it must be listed in
 * BinaryMediaTypes by that very name. The wildcard for all types takes in everything, a missing header too.
 */
export function isBinary(binaryMediaTypes: readonly string[], header: string | undefined): boolean {
  if (binaryMediaTypes.includes("*/*")) return true;
  return header !== undefined && binaryMediaTypes.includes(mediaType(header));
}

/** The first media type of a Content-Type or Accept header, without parameters. */
export function mediaType(header: string): string {
  return (header.split(/[,;]/, 1)[0] ?? "").trim().toLowerCase();
}
