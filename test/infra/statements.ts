import { resourcesOf, type Template } from "./synthesized.ts";

export type Statement = {
  Effect: string;
  Action: string[];
  Resource: unknown[];
  Condition: unknown;
};

type Document = {
  Statement: { Effect: string; Action: string | string[]; Resource?: unknown; Condition?: unknown }[];
};
type RoleProperties = { ManagedPolicyArns?: unknown[]; Policies?: { PolicyDocument: Document }[] };
type PolicyProperties = { PolicyDocument: Document; Roles?: { Ref: string }[] };

const list = <T>(oneOrMany: T | T[]): T[] => (Array.isArray(oneOrMany) ? oneOrMany : [oneOrMany]);

const statementsIn = (document: Document): Statement[] =>
  document.Statement.map(({ Effect, Action, Resource, Condition }) => ({
    Effect,
    Action: list(Action),
    Resource: list(Resource ?? []),
    Condition,
  }));

/** Lists all statements that this template attaches to a role. */
export function statementsOfRole(template: Template, roleId: string): Statement[] {
  const role = resourcesOf<RoleProperties>(template, "AWS::IAM::Role")[roleId];
  if (role === undefined) throw new Error(`There is no role ${roleId}`);
  if (role.Properties.ManagedPolicyArns) throw new Error(`Role ${roleId} has managed policies`);
  const attached = ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"]
    .flatMap((type) => Object.values(resourcesOf<PolicyProperties>(template, type)))
    .filter(({ Properties }) => Properties.Roles?.some(({ Ref }) => Ref === roleId));
  return [
    ...(role.Properties.Policies ?? []).map(({ PolicyDocument }) => PolicyDocument),
    ...attached.map(({ Properties }) => Properties.PolicyDocument),
  ].flatMap(statementsIn);
}

/** Lists all statements of all policy documents in a template. */
export function allStatements(template: Template): Statement[] {
  const found: Statement[] = [];
  JSON.stringify(template, (_, value) => {
    if (isDocument(value)) found.push(...statementsIn(value));
    return value;
  });
  return found;
}

const isDocument = (value: unknown): value is Document =>
  typeof value === "object" && value !== null && "Statement" in value && Array.isArray(value.Statement);
