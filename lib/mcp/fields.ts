import { isAmount } from "trading-terminal-client";

/** An argument of a tool. */
export type Field = {
  /** Describes the argument to clients, as JSON Schema. */
  schema: { description: string; [rule: string]: unknown };
  /** Says what the value must be. Undefined if the value is right. */
  objection: (value: unknown) => string | undefined;
  isOptional?: boolean;
};

export type Fields = Readonly<Record<string, Field>>;

const field = (schema: Field["schema"], isRight: (value: unknown) => boolean, wanted: string): Field => ({
  schema,
  objection: (value) => (isRight(value) ? undefined : `must be ${wanted}`),
});

/** Amounts and prices are text, because a number can lose digits on its way. */
export const decimal = (description: string): Field =>
  field(
    {
      type: "string",
      pattern: "^\\d+(\\.\\d+)?$",
      description: `${description}; decimal text such as "0.5"`,
    },
    (value) => typeof value === "string" && isAmount(value),
    'text with digits, such as "0.5", and not a number',
  );

export const choice = (values: readonly string[], description: string): Field =>
  field(
    { type: "string", enum: values, description },
    (value) => values.includes(value as string),
    `one of ${values.join(", ")}`,
  );

export const text = (description: string): Field =>
  field({ type: "string", description }, (value) => typeof value === "string" && value !== "", "text");

export const number = (description: string, [least, most]: readonly [number, number]): Field =>
  field(
    { type: "number", minimum: least, maximum: most, description },
    (value) => typeof value === "number" && value >= least && value <= most,
    `a number from ${least} to ${most}`,
  );

export const flag = (description: string): Field =>
  field({ type: "boolean", description }, (value) => typeof value === "boolean", "true or false");

export const optional = (one: Field): Field => ({ ...one, isOptional: true });

export const chain = choice(["eth", "base", "bsc", "avax", "sol"], "The chain");
export const wallet = text("Address of one of the user's wallets, from list_wallets");
export const token = text("Address of the token, from find_tokens; never its symbol");

/** Describes the arguments of a tool as JSON Schema. */
export const schemaOf = (fields: Fields) => ({
  type: "object" as const,
  properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
  required: Object.keys(fields).filter((name) => !fields[name]?.isOptional),
  additionalProperties: false,
});

/** Finds the first argument that is unknown, missing or wrong. */
export function objectionTo(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
): { field: string; message: string } | undefined {
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    return { field: unknown, message: `${unknown} is unknown; known are ${Object.keys(fields).join(", ")}` };
  for (const [name, { objection, isOptional }] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined && isOptional) continue;
    const wanted = value === undefined ? "is missing" : objection(value);
    if (wanted !== undefined) return { field: name, message: `${name} ${wanted}` };
  }
  return undefined;
}
