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
