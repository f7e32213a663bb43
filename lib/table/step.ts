import type { Key } from "./keys.ts";

/** The language of writes. It is pure: `write` carries writes out. */

type Fields = Readonly<Record<string, unknown>>;

/** A test of a field for something else than one value. */
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
/** For sets. */
export const smallerThan = (size: number) => new Test("smaller than", size);
export const containing = (member: string) => new Test("containing", member);

/** The values or tests of fields of an item that exists. `undefined` stands for an absent field. */
export type Matching<Content> = { readonly [Name in keyof Content]?: Content[Name] | Test | undefined };

export type Condition<Content = Fields> = "absent" | "present" | Matching<Content>;

/** Holds if one of the conditions does. */
export type When<Content = Fields> = Condition<Content> | readonly Condition<Content>[];

/** A value that a field gets only if it has none. */
export class Initial {
  readonly value: unknown;
  /** Added to what the field has then. */
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
  /** `undefined` removes the field. */
  set?: Fields;
  /** Numbers to add to fields, or members to add to sets. */
  add?: Readonly<Record<string, number | ReadonlySet<string>>>;
  /** Members to take out of sets. */
  take?: Readonly<Record<string, ReadonlySet<string>>>;
  when?: When | undefined;
};

type Remove = { kind: "remove"; key: Key; when?: When | undefined };

/** Writes nothing: the step it is in fails unless the condition holds. */
type Check = { kind: "check"; key: Key; when: When };

export type Write = Put | Change | Remove | Check;

/** Writes that happen together or not at all: one transaction, which names no item twice. */
export type Step = readonly Write[];
