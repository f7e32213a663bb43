import * as v from "valibot";

/** Parses JSON, because `-c key=value` makes every value a string. */
const fromJson = v.rawTransform<unknown, unknown>(({ dataset, addIssue, NEVER }) => {
  if (typeof dataset.value !== "string") return dataset.value;
  try {
    return JSON.parse(dataset.value);
  } catch {
    // Does not quote the text in the message, because URLs of hosts contain keys.
    addIssue({ message: "is not JSON" });
    return NEVER;
  }
});

export const json = <Schema extends v.GenericSchema>(schema: Schema) => v.pipe(v.unknown(), fromJson, schema);

export const flag = (byDefault: boolean) => v.optional(json(v.boolean("must be true or false")), byDefault);

export const matching = (pattern: RegExp, what: string) =>
  v.pipe(v.string(`must be ${what}`), v.regex(pattern, `must be ${what}`));

export function wholeWithin(from: number, to: number, unit?: "seconds") {
  const message = `must be a whole number ${unit ? `of ${unit} ` : ""}from ${from} to ${to}`;
  return v.pipe(
    v.number(message),
    v.check((number) => Number.isInteger(number) && number >= from && number <= to, message),
  );
}

export const Origin = v.pipe(
  v.string("must be text"),
  v.check(
    (text) => URL.parse(text)?.origin === text,
    ({ input }) => `must be an exact origin such as https://app.example, not ${input}`,
  ),
);

/** Labels of keys, of which each replaces the one before it. */
export const labels = v.pipe(
  v.array(matching(/^[a-z\d]{1,16}$/, "1 to 16 lower-case letters and digits"), "must be a list of labels"),
  v.minLength(1, "must have a label"),
  v.maxLength(5, "must have at most 5 labels"),
  v.check((list) => new Set(list).size === list.length, "must not have a label twice"),
);

/** Accepts a URL with TLS, or one without TLS on the local machine. */
export const urlOf = (plain: "http" | "ws", message: string) =>
  v.pipe(
    v.string("must be a URL"),
    v.check((text) => {
      const url = URL.parse(text);
      return url?.protocol === `${plain}s:` || (url?.protocol === `${plain}:` && isLoopback(url.hostname));
    }, message),
  );

export const isLoopback = (host: string) => ["localhost", "127.0.0.1", "[::1]"].includes(host);
