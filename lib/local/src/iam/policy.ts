import * as v from "valibot";
import { escapedCharacter, wildcard } from "../wildcard.ts";

/** Values of a request's condition keys. */
export type ConditionValues = Readonly<Record<string, readonly string[]>>;

export type PolicyRequest = {
  /** Action, for example `dynamodb:PutItem`. */
  action: string;
  /** ARN of the resource. Without an ARN, statements for any resource apply. */
  resource?: string;
  /** Names of the caller that a statement may list. Without names, statements for any caller of the account apply. */
  principals?: readonly string[];
  values: ConditionValues;
};

/** Evaluates the statements that apply to a request. Undefined if none applies. */
export type Policy = (request: PolicyRequest) => "Allow" | "Deny" | undefined;

export type PolicyOptions = {
  /** Reads only statements about these services, e.g. `["kms"]`. All others may contain anything. */
  services?: readonly string[];
  /** True if requests can have this condition key. By default, all are known. */
  isKnown?: (conditionKey: string) => boolean;
};

const texts = v.union([
  v.pipe(
    v.string(),
    v.transform((text) => [text]),
  ),
  v.array(v.string()),
]);

const Document = v.object({
  Statement: v.union([
    v.array(v.unknown()),
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.transform((only) => [only]),
    ),
  ]),
});

const Statement = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(["Allow", "Deny"]),
  Principal: v.optional(
    v.union([v.literal("*"), v.record(v.string(), v.union([v.string(), v.array(v.unknown())]))]),
  ),
  Action: texts,
  Resource: v.optional(v.unknown()),
  Condition: v.optional(v.record(v.string(), v.record(v.string(), texts)), {}),
});

type StatementOf = v.InferOutput<typeof Statement>;

/**
 * Reads the policy document of a role or of a resource. Statements for AWS services are skipped, since every caller
 * here belongs to the account.
 *
 * @throws {Error} if it has something that is not emulated, such as another operator
 */
export function readPolicy(
  document: unknown,
  { services, isKnown = () => true }: PolicyOptions = {},
): Policy {
  const statements = v
    .parse(Document, document)
    .Statement.filter((statement) => services === undefined || concerns(statement, services))
    .map((statement) => v.parse(Statement, statement))
    .filter(concernsAccount)
    .map((statement) => readStatement(statement, isKnown));
  const ofAction = new Map<string, ReadStatement[]>();

  return ({ action, ...request }) => {
    const known = ofAction.get(action) ?? statements.filter(({ covers }) => covers(action));
    ofAction.set(action, known);
    const applying = known.filter(({ applies }) => applies(request));
    return applying.find(({ effect }) => effect === "Deny")?.effect ?? applying[0]?.effect;
  };
}

/** Joins policies: a request is allowed if any of them allows it and none denies it. */
export function joined(policies: readonly Policy[]): Policy {
  return (request) => {
    const verdicts = policies.map((policy) => policy(request));
    return verdicts.find((verdict) => verdict === "Deny") ?? verdicts.find((verdict) => verdict === "Allow");
  };
}

/** A statement with NotAction instead of Action may concern any service. */
function concerns(statement: unknown, services: readonly string[]): boolean {
  const { Action } = statement as { Action?: string | string[] };
  if (Action === undefined) return true;
  return [Action].flat().some((action) => {
    const prefix = wildcard(action.split(":", 1)[0] ?? "", "i");
    return services.some((service) => prefix.test(service));
  });
}

function concernsAccount({ Principal }: StatementOf): boolean {
  return typeof Principal !== "object" || "AWS" in Principal;
}

type ReadStatement = ReturnType<typeof readStatement>;

function readStatement(
  { Effect: effect, Action, Resource, Principal, Condition }: StatementOf,
  isKnown: (key: string) => boolean,
) {
  const actions = Action.map((pattern) => wildcard(pattern, "i"));
  const isIn = (value: string | undefined, patterns: () => RegExp[]) =>
    value === undefined || patterns().some((pattern) => pattern.test(value));
  // Resources are read on first use, since intrinsics in them may not be resolved yet.
  let resources: RegExp[] | undefined;
  const resourcePatterns = () => {
    resources ??= v.parse(texts, Resource ?? "*").map((pattern) => wildcard(plain(pattern)));
    return resources;
  };
  const principals = typeof Principal === "object" ? [Principal.AWS ?? []].flat() : ["*"];
  const isOf = (names: readonly string[] | undefined) =>
    names === undefined || principals.some((name) => name === "*" || names.includes(String(name)));
  const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, wanted]) => {
      if (!isKnown(key)) throw new Error(`the condition key ${key}`);
      return readCondition(operator, key, wanted.map(plain));
    }),
  );
  return {
    effect,
    covers: (action: string) => actions.some((pattern) => pattern.test(action)),
    applies: ({ resource, principals: names, values }: Omit<PolicyRequest, "action">) =>
      isOf(names) && isIn(resource, resourcePatterns) && conditions.every((holds) => holds(values)),
  };
}

function plain(text: string): string {
  if (text.split(escapedCharacter).join("").includes("${")) throw new Error(`the policy variable in ${text}`);
  return text;
}

type Holds = (values: ConditionValues) => boolean;

function readCondition(operator: string, key: string, wanted: readonly string[]): Holds {
  if (operator === "Null") return (values) => wanted.includes(String(!(values[key]?.length ?? 0)));
  const [, set, kind = "", negation, comparison = ""] =
    /^(?:(ForAllValues|ForAnyValue):)?(String|Arn|Bool)(Not)?(Equals|Like)?$/.exec(operator) ?? [];
  const makeMatch = matches[kind + comparison];
  if (makeMatch === undefined || (kind === "Bool" && negation)) throw new Error(`the condition ${operator}`);
  const matchers = wanted.map(makeMatch);
  const matchesOne = (value: string) => matchers.some((match) => match(value));
  const holds = (value: string) => matchesOne(value) !== (negation !== undefined);
  // Lets only ForAllValues and negations match a key that the request lacks.
  if (set === "ForAllValues") return (values) => (values[key] ?? []).every(holds);
  if (set === "ForAnyValue" || negation === undefined) return (values) => (values[key] ?? []).some(holds);
  return (values) => (values[key] ?? []).every(holds);
}

type MakeMatch = (wanted: string) => (value: string) => boolean;

const equals: MakeMatch = (wanted) => (value) => value === wanted;

/** Compares ARNs part by part, so that no wildcard reaches across a colon. The last part may contain colons. */
const arnLike: MakeMatch = (pattern) => {
  const parts = partsOfArn(pattern).map((part) => wildcard(part));
  return (value) => {
    const values = partsOfArn(value);
    return values.length === parts.length && parts.every((part, index) => part.test(values[index] ?? ""));
  };
};

function partsOfArn(arn: string): string[] {
  const parts = arn.split(":");
  return [...parts.slice(0, 5), ...(parts.length > 5 ? [parts.slice(5).join(":")] : [])];
}

const matches: Partial<Record<string, MakeMatch>> = {
  StringEquals: equals,
  Bool: equals,
  StringLike: (pattern) => {
    const compiled = wildcard(pattern);
    return (value) => compiled.test(value);
  },
  ArnEquals: arnLike,
  ArnLike: arnLike,
};
