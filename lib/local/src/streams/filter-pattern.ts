import { isObject } from "../cloudformation/intrinsics.ts";

/** Whether a value is as a pattern wants it. A value that is not there is undefined. */
type Matcher = (value: unknown) => boolean;
type Scalar = string | number | boolean | null;

/**
 * Reads a pattern of FilterCriteria. Its language is EventBridge's: an object stands for one that has at
 * least its fields, a list for a value that is any of its elements. A list in an event matches when one of
 * its elements does.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 *
 * @throws Error that names what is not emulated
 */
export function readPattern(text: string): (event: unknown) => boolean {
  const pattern: unknown = JSON.parse(text);
  if (!isObject(pattern) || Object.keys(pattern).length === 0) throw new Error("a pattern without fields");
  return fieldsOf(pattern);
}

function fieldsOf(pattern: Record<string, unknown>): Matcher {
  const fields = Object.entries(pattern).map(([name, wanted]) => [name, readField(name, wanted)] as const);
  return (value) => {
    const objects = elements(value).filter(isObject);
    // Of an object that is not there, each field is one that is not there.
    return (objects.length > 0 ? objects : [{}]).some((object: Record<string, unknown>) =>
      fields.every(([name, matches]) => matches(object[name])),
    );
  };
}

function readField(name: string, wanted: unknown): Matcher {
  if (name.startsWith("$")) throw new Error(`"${name}"`);
  if (isObject(wanted)) return fieldsOf(wanted);
  if (!Array.isArray(wanted) || wanted.length === 0) throw new Error(`"${name}", which is no list of values`);
  const alternatives = wanted.map(readAlternative);
  return (value) => {
    const scalars = elements(value).filter(isScalar);
    return alternatives.some((matches) => matches(scalars));
  };
}

function readAlternative(wanted: unknown): (scalars: readonly Scalar[]) => boolean {
  if (isScalar(wanted)) return (scalars) => scalars.includes(wanted);
  const [[operator, operand] = [], ...others] = isObject(wanted) ? Object.entries(wanted) : [];
  if (operator === undefined || others.length > 0) throw new Error(JSON.stringify(wanted));
  const found = Object.hasOwn(operators, operator) ? operators[operator]?.(operand) : undefined;
  if (found === undefined) throw new Error(`the operator ${JSON.stringify(wanted)}`);
  return found;
}

type Operator = (operand: unknown) => ((scalars: readonly Scalar[]) => boolean) | undefined;

/**
 * Each gives undefined for an operand that it does not take. Numbers of DynamoDB are texts: no comparison
 * finds them.
 */
const operators: Record<string, Operator> = {
  prefix: ofText((text, prefix) => text.startsWith(prefix)),
  suffix: ofText((text, suffix) => text.endsWith(suffix)),
  "equals-ignore-case": ofText((text, other) => text.toLowerCase() === other.toLowerCase()),
  exists: (wanted) => (typeof wanted === "boolean" ? (scalars) => scalars.length > 0 === wanted : undefined),
  "anything-but": (operand) => {
    const excluded: unknown[] = Array.isArray(operand) ? operand : [operand];
    if (excluded.length === 0 || !excluded.every(isScalar)) return undefined;
    return (scalars) => scalars.some((scalar) => !excluded.includes(scalar));
  },
};

function ofText(compare: (text: string, operand: string) => boolean): Operator {
  return (operand) => {
    if (typeof operand !== "string") return undefined;
    return (scalars) => scalars.some((scalar) => typeof scalar === "string" && compare(scalar, operand));
  };
}

function elements(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(elements) : [value];
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
