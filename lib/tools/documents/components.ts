import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Collects every schema with a title, so that the document defines each type only once.
 *
 * @param target JSON Schema draft that the document's format requires.
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

  // Skips rules that JSON Schema cannot express. The descriptions state these rules.
  const convert = (schema: v.GenericSchema) =>
    hoist(
      toJsonSchema(schema, { target, ignoreActions: ["check", "raw_check", "transform", "trim"] }),
    ) as JsonSchema;

  return { schemas, convert };
}
