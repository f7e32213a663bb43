import * as v from "valibot";

/** Refuses arrays, which valibot's object and record schemas let in. Goes before such a schema in a pipe. */
export const jsonObject = v.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

const json = v.pipe(v.string(), v.parseJson(), jsonObject);

/** The object that a text holds as JSON, or else where it is not of that shape. Nothing of the text itself is told. */
export function readJson<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
): { object: v.InferOutput<Schema> } | { malformedAt: string } {
  const parsed = v.safeParse(json, text);
  const shaped = parsed.success ? v.safeParse(schema, parsed.output) : parsed;
  if (shaped.success) return { object: shaped.output };
  return { malformedAt: v.getDotPath(shaped.issues[0]) ?? "its top" };
}
