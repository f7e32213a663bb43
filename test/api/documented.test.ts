import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { PlaceOrderSchema } from "../../lib/api/order-request-schema.ts";
import { QuoteRequestSchema } from "../../lib/api/quote-schema.ts";
import { networks } from "../../lib/core/network.ts";
import { type JsonSchema, schemaComponents } from "../../lib/tools/documents/components.ts";

const { schemas, convert } = schemaComponents("draft-2020-12");
convert(QuoteRequestSchema);
convert(PlaceOrderSchema);

type Rule = {
  [keyword in "not" | "if" | "then" | "else"]?: Rule;
} & {
  [keyword in "allOf" | "anyOf" | "oneOf"]?: Rule[];
} & {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Rule>;
};

/** Checks the keywords of JSON Schema that involve several fields. */
function accepts(rule: Rule, value: unknown): boolean {
  const { $ref, not, if: given, properties = {}, required = [], allOf = [], anyOf, oneOf } = rule;
  if ($ref !== undefined) return accepts(schemas[$ref.split("/").at(-1) ?? ""] as Rule, value);
  const fields = typeof value === "object" ? (value as Record<string, unknown>) : {};
  const follows = given && (accepts(given, value) ? rule.then : rule.else);
  return (
    (!("const" in rule) || rule.const === value) &&
    (rule.enum === undefined || rule.enum.includes(value)) &&
    required.every((name) => name in fields) &&
    Object.entries(properties).every(([name, each]) => !(name in fields) || accepts(each, fields[name])) &&
    allOf.every((each) => accepts(each, value)) &&
    (anyOf === undefined || anyOf.some((each) => accepts(each, value))) &&
    (oneOf === undefined || oneOf.filter((each) => accepts(each, value)).length === 1) &&
    (not === undefined || !accepts(not, value)) &&
    (follows === undefined || accepts(follows, value))
  );
}

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const values = {
  wallet: address,
  amount: "1",
  percent: 50,
  slippage: 1,
  minAmountOut: "1",
  gasPreset: "fast",
  maxGasPrice: 5,
  priorityFee: 0.1,
};

const trades = fc.record({
  chain: fc.constantFrom(...networks),
  side: fc.constantFrom("buy", "sell"),
  given: fc.subarray(Object.entries(values)),
});

describe("the documented rules of a trade", () => {
  it.each<[string, v.GenericSchema, object]>([
    ["QuoteRequest", QuoteRequestSchema, {}],
    ["PlaceOrder", PlaceOrderSchema, { type: "market" }],
  ])("documents which fields the service accepts together: %s", (title, schema, more) => {
    const documented = schemas[title] as JsonSchema as Rule;
    let accepted = 0;
    const check = ({ chain, side, given }: { chain: string; side: string; given: [string, unknown][] }) => {
      const body = { chain, side, token: address, ...more, ...Object.fromEntries(given) };
      const isValid = v.is(schema, body);
      accepted += Number(isValid);
      expect(accepts(documented, body)).toBe(isValid);
    };
    fc.assert(fc.property(trades, check), { numRuns: 3000 });
    expect(accepted).toBeGreaterThan(30);
  });
});
