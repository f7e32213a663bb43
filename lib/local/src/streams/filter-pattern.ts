import { isObject } from "../cloudformation/intrinsics.ts";

/** True if a value matches a pattern. Undefined stands for an absent value. */
type Matcher = (value: unknown) => boolean;
type Scalar = string | number | boolean | null;

/**
 * Reads a pattern of FilterCriteria, written in EventBridge's language: an object matches objects with at least its
 * fields, a list matches any of its elements. A list in the event matches if one of its elements does. The only
 * operator that is emulated is `prefix`.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 *
 * @throws {Error} if something is not emulated; the message names it
 */
export function readPattern(text: string): (event: unknown) => boolean {
  const pattern: unknown = JSON.parse(text);
  if (!isObject(pattern) || Object.keys(pattern).length === 0) throw new Error("a pattern without fields");
  return fieldsOf(pattern);
}

function fieldsOf(pattern: Record<string, unknown>): Matcher {
  const fields = Object.entries(pattern).map(([name, wanted]) => [name, readField(name, wanted)] as const);
  return (value) =>
    elements(value)
      .filter(isObject)
      .some((object) => fields.every(([name, matches]) => matches(object[name])));
}

function readField(name: string, wanted: unknown): Matcher {
  if (name.startsWith("$")) throw new Error(`"${name}"`);
  if (isObject(wanted)) return fieldsOf(wanted);
  if (!Array.isArray(wanted) || wanted.length === 0) throw new Error(`"${name}" without a list of values`);
  const alternatives = wanted.map(readAlternative);
  return (value) => elements(value).some((each) => alternatives.some((matches) => matches(each)));
}

function readAlternative(wanted: unknown): Matcher {
  if (isScalar(wanted)) return (value) => value === wanted;
  const [[operator, operand] = [], ...others] = isObject(wanted) ? Object.entries(wanted) : [];
  if (operator !== "prefix" || typeof operand !== "string" || others.length > 0) {
    throw new Error(`the operator ${JSON.stringify(wanted)}`);
  }
  return (value) => typeof value === "string" && value.startsWith(operand);
}

function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(elements) : [value];
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
