import * as v from "valibot";
import type { GatewayRequest } from "./messages.ts";

/** Rejects arrays, which valibot's object and record schemas accept. Put it before such a schema in a pipe. */
export const jsonObject = v.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

const json = v.pipe(v.string(), v.parseJson(), jsonObject);

/** Parses a JSON object. If its shape is wrong, `malformedAt` is the path of the first error, without any value. */
export function readJson<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
): { object: v.InferOutput<Schema> } | { malformedAt: string } {
  const parsed = v.safeParse(json, text);
  const shaped = parsed.success ? v.safeParse(schema, parsed.output) : parsed;
  if (shaped.success) return { object: shaped.output };
  return { malformedAt: v.getDotPath(shaped.issues[0]) ?? "its top" };
}

/** Reads the JSON body of a request. Undefined if it is not JSON. */
export function bodyOf({ body }: GatewayRequest): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
