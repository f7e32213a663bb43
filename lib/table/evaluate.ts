import { type Condition, Test, type When } from "./step.ts";

/**
 * Evaluates the condition of a write for an item in the form in which the document client reads it. As in DynamoDB, a
 * comparison fails if the field is absent or has a different type.
 *
 * @param item undefined if the item does not exist.
 */
export function holds(when: When, item: object | undefined): boolean {
  const conditions = (Array.isArray(when) ? when : [when]) as readonly Condition[];
  return conditions.some((condition) => isMet(condition, item));
}

function isMet(condition: Condition, item: object | undefined): boolean {
  if (condition === "absent") return item === undefined;
  if (item === undefined) return false;
  if (condition === "present") return true;
  const fields = item as Fields;
  return Object.entries(condition).every(([name, wanted]) => {
    const stored = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return wanted === undefined ? stored === undefined : stored !== undefined && isAs(wanted, stored);
  });
}

function isAs(wanted: unknown, stored: unknown): boolean {
  if (!(wanted instanceof Test)) return isEqual(wanted, stored);
  const { is, value } = wanted;
  switch (is) {
    case "one of":
      return (value as readonly unknown[]).some((each) => isEqual(each, stored));
    case "below":
      return (orderOf(stored, value) ?? 0) < 0;
    case "at most":
      return (orderOf(stored, value) ?? 1) <= 0;
    case "at least":
      return (orderOf(stored, value) ?? -1) >= 0;
    case "smaller than":
      return (sizeOf(stored) ?? Number.POSITIVE_INFINITY) < Number(value);
    case "containing":
      return isMember(value, stored);
  }
}

type Scalar = string | number | bigint | Uint8Array;

const isNumber = (value: unknown) => typeof value === "number" || typeof value === "bigint";

/**
 * Compares numbers by value, and texts and byte arrays by their bytes. Undefined if the values have any other type, or
 * different types.
 */
function orderOf(a: unknown, b: unknown): number | undefined {
  if (isNumber(a) && isNumber(b))
    return (a as Scalar) < (b as Scalar) ? -1 : Number((a as Scalar) > (b as Scalar));
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return undefined;
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const order = orderOf(a, b);
  if (order !== undefined) return order === 0;
  if (a instanceof Set && b instanceof Set)
    return a.size === b.size && [...a].every((member) => isMember(member, b));
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((member, index) => isEqual(member, b[index]));
  return isMap(a) && isMap(b) && isSameMap(a, b);
}

type Fields = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  return !(Array.isArray(value) || value instanceof Set || value instanceof Uint8Array);
}

/** Treats undefined fields as absent, because the document client does not write them. */
const isSameMap = (a: Fields, b: Fields) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isEqual(a[name], b[name]));

/** True if a set or a list contains the value, or if a text contains it as a part. */
function isMember(member: unknown, stored: unknown): boolean {
  if (typeof stored === "string") return typeof member === "string" && stored.includes(member);
  if (!(stored instanceof Set || Array.isArray(stored))) return false;
  return [...stored].some((each) => isEqual(each, member));
}

function sizeOf(stored: unknown): number | undefined {
  if (stored instanceof Set) return stored.size;
  if (typeof stored === "string" || Array.isArray(stored) || stored instanceof Uint8Array)
    return stored.length;
  return isMap(stored) ? Object.keys(stored).length : undefined;
}
