import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Collects every schema that has a title under that name, so that the document says each shape once.
 *
 * @param target the draft of JSON Schema that the document's format is based on.
 */
export function schemaComponents(target: "draft-07" | "draft-2020-12") {
  const schemas: Record<string, JsonSchema> = {};

  function hoist(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(hoist);
    if (typeof node !== "object" || node === null) return node;
    const { $schema: _, title, ...rest } = node as JsonSchema;
    const inner = Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, hoist(value)]));
    if (typeof title !== "string") return inner;
    schemas[title] = inner;
    return { $ref: `#/components/schemas/${title}` };
  }

  /** A check is a rule that JSON Schema has no word for. */
  const convert = (schema: v.GenericSchema) =>
    hoist(toJsonSchema(schema, { target, ignoreActions: ["check"] })) as JsonSchema;

  return { schemas, convert };
}
