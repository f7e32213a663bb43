import * as v from "valibot";
import { wildcard } from "../wildcard.ts";

/** What the conditions of a policy look at: the values of each condition key that a request has. */
export type ConditionValues = Readonly<Record<string, readonly string[]>>;

/** Whether a request may be made. */
export type Policy = (action: string, values: ConditionValues) => boolean;

const texts = v.union([
  v.pipe(
    v.string(),
    v.transform((text) => [text]),
  ),
  v.array(v.string()),
]);

const Statement = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(["Allow", "Deny"]),
  Principal: v.optional(v.unknown()),
  Action: texts,
  Resource: v.optional(v.unknown()),
  Condition: v.optional(v.record(v.string(), v.record(v.string(), texts)), {}),
});

const Document = v.object({ Statement: v.array(Statement) });

type StatementOf = v.InferOutput<typeof Statement>;

/**
 * Reads a policy document of one key. Statements for services are skipped: every caller here is of the account.
 *
 * @throws {Error} if it has something that is not emulated, such as another operator.
 */
export function readPolicy(document: unknown): Policy {
  const statements = v.parse(Document, document).Statement.filter(concernsAccount).map(readStatement);
  return (action, values) => {
    const effects = statements.filter((applies) => applies.to(action, values)).map(({ effect }) => effect);
    return effects.includes("Allow") && !effects.includes("Deny");
  };
}

function concernsAccount({ Principal }: StatementOf): boolean {
  return typeof Principal !== "object" || Principal === null || "AWS" in Principal;
}

function readStatement({ Effect: effect, Action, Condition }: StatementOf) {
  const actions = Action.map((pattern) => wildcard(pattern, "i"));
  const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, wanted]) => readCondition(operator, key, wanted)),
  );
  return {
    effect,
    to: (action: string, values: ConditionValues) =>
      actions.some((pattern) => pattern.test(action)) && conditions.every((holds) => holds(values)),
  };
}

type Holds = (values: ConditionValues) => boolean;

function readCondition(operator: string, key: string, wanted: readonly string[]): Holds {
  if (operator === "Null") return (values) => wanted.includes(String(!(values[key]?.length ?? 0)));
  const [, set, test = ""] = /^(?:(ForAllValues|ForAnyValue):)?(\w+)$/.exec(operator) ?? [];
  const makeMatch = matches[test];
  if (makeMatch === undefined) throw new Error(`the condition ${operator}`);
  const matchesAny = (value: string) => wanted.some((each) => makeMatch(each)(value));
  // For a key that the request lacks, ForAllValues holds, and nothing else does.
  if (set === "ForAllValues") return (values) => (values[key] ?? []).every(matchesAny);
  return (values) => (values[key] ?? []).some(matchesAny);
}

const equals = (wanted: string) => (value: string) => value === wanted;

const matches: Partial<Record<string, (wanted: string) => (value: string) => boolean>> = {
  StringEquals: equals,
  Bool: equals,
  StringLike: (pattern) => (value) => wildcard(pattern).test(value),
};
