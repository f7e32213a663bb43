import type { Key } from "./keys.ts";

/** Describes writes as data. Nothing in this module does I/O: `write` carries the writes out. */

type Fields = Readonly<Record<string, unknown>>;

/** A test of a field for something other than equality. */
export class Test {
  readonly is: "one of" | "below" | "at most" | "at least" | "smaller than" | "containing";
  readonly value: unknown;

  constructor(is: Test["is"], value: unknown) {
    this.is = is;
    this.value = value;
  }
}

export const oneOf = (values: readonly number[]) => new Test("one of", values);
export const below = (value: number | string) => new Test("below", value);
export const atMost = (value: number | string) => new Test("at most", value);
export const atLeast = (value: number | string) => new Test("at least", value);
/** Tests the size of a set. */
export const smallerThan = (size: number) => new Test("smaller than", size);
export const containing = (member: string) => new Test("containing", member);

/** Required values or tests for the fields of an existing item. `undefined` requires that the field is absent. */
export type Matching<Content> = { readonly [Name in keyof Content]?: Content[Name] | Test | undefined };

export type Condition<Content = Fields> = "absent" | "present" | Matching<Content>;

/** Conditions of a write. If there are several, it suffices that one of them holds. */
export type When<Content = Fields> = Condition<Content> | readonly Condition<Content>[];

/** Initial value for a field that does not exist yet. */
export class Initial {
  readonly value: unknown;
  /** Number to add to the stored value, or to the initial value if none is stored. */
  readonly plus: number | undefined;

  constructor(value: unknown, plus?: number) {
    this.value = value;
    this.plus = plus;
  }
}

export const initially = (value: unknown, { plus }: { plus?: number } = {}) => new Initial(value, plus);

/** Replaces the item, or creates it. */
type Put = { kind: "put"; key: Key; item: object; when?: When | undefined };

/** Changes fields of the item, or creates it with them. */
type Change = {
  kind: "change";
  key: Key;
  /** New values of fields. `undefined` removes the field. */
  set?: Fields;
  /** Numbers to add to fields, or members to add to sets. */
  add?: Readonly<Record<string, number | ReadonlySet<string>>>;
  /** Members to remove from sets. */
  take?: Readonly<Record<string, ReadonlySet<string>>>;
  when?: When | undefined;
};

type Remove = { kind: "remove"; key: Key; when?: When | undefined };

/** Writes nothing, but makes the whole step fail if the condition fails. */
type Check = { kind: "check"; key: Key; when: When };

export type Write = Put | Change | Remove | Check;

/** Writes that take effect together or not at all, in one transaction. No two of them may name the same item. */
export type Step = readonly Write[];
