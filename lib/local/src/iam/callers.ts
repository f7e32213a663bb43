import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { account } from "../account.ts";
import { notEmulated, type Resource, reading } from "../cloudformation/resource.ts";
import { managedPolicyArn, roleArn, roleName } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { StartupError } from "../startup-error.ts";
import { type AccessRequest, accountValues, type Caller, denialOf, readTemplatePolicy } from "./caller.ts";
import { joined, type Policy } from "./policy.ts";

/** Functions as callers of services, each with its own credentials. */
export type Callers = {
  of(functionName: string): Caller;
  /** Finds the function with this access key. */
  find(accessKeyId: string): Caller | undefined;
  denial: Denial;
};

/** Returns AWS's message for refusing a function's request. Undefined if it is allowed. */
export type Denial = (functionName: string, request: AccessRequest) => string | undefined;

/** A function with its role, from its template. */
export type CallingFunction = Pick<Caller, "endpoints"> & { name: string; arn: string; roleArn: string };

/** Managed policies of AWS without rights for the guarded services. */
const harmless = new Set(
  ["AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole"].map(
    (name) => `arn:${account.partition}:iam::aws:policy/service-role/${name}`,
  ),
);

/** @throws {StartupError} if a function's role is missing or has something that is not emulated */
export function createCallers(functions: readonly CallingFunction[], resources: Resources): Callers {
  const policyOf = readRoles(resources);
  const created = functions.map(({ name, arn, roleArn, endpoints }) => {
    const session = `${account.id}:assumed-role/${roleArn.split("/").at(-1)}/${name}`;
    const caller: Caller = {
      credentials: {
        accessKeyId: randomBytes(16).toString("hex"),
        secretAccessKey: randomBytes(20).toString("hex"),
      },
      roleArn,
      sessionArn: `arn:${account.partition}:sts::${session}`,
      policy: policyOf(roleArn),
      values: { ...accountValues, "aws:PrincipalArn": [roleArn], "lambda:SourceFunctionArn": [arn] },
      endpoints,
    };
    return { name, caller };
  });
  const byName = new Map(created.map(({ name, caller }) => [name, caller]));
  const byKey = new Map(created.map(({ caller }) => [caller.credentials.accessKeyId, caller]));
  const of = (functionName: string) => {
    const caller = byName.get(functionName);
    if (caller === undefined) throw new Error(`There is no function ${functionName}`);
    return caller;
  };
  return {
    of,
    find: (accessKeyId) => byKey.get(accessKeyId),
    denial: (functionName, request) => denialOf(of(functionName), request),
  };
}

const InlinePolicies = v.optional(v.array(v.object({ PolicyDocument: v.unknown() })), []);
const Names = v.optional(v.array(v.string()), []);

/** Returns a function that joins all policies of a role, given its ARN. */
function readRoles(resources: Resources): (roleArn: string) => Policy {
  const roles = new Map(resources.ofType("AWS::IAM::Role").map((role) => [roleArn(role), role]));
  const attached = [
    ...resources.ofType("AWS::IAM::Policy"),
    ...resources.ofType("AWS::IAM::ManagedPolicy"),
  ].map((policy) => ({ policy, roles: v.parse(Names, policy.property("Roles")) }));
  const managed = new Map(
    resources.ofType("AWS::IAM::ManagedPolicy").map((policy) => [managedPolicyArn(policy), policy]),
  );

  const documentOf = (policy: Resource) =>
    reading(policy, () => readTemplatePolicy(policy.property("PolicyDocument")));

  return (arn) => {
    const role = roles.get(arn);
    if (role === undefined) throw new StartupError(`No stack has the role ${arn} of a function.`);
    if (role.property("PermissionsBoundary") !== undefined) throw notEmulated(role, "PermissionsBoundary");
    const inline = reading(role, () =>
      v
        .parse(InlinePolicies, role.property("Policies"))
        .map(({ PolicyDocument }) => readTemplatePolicy(PolicyDocument)),
    );
    const named = v
      .parse(Names, role.property("ManagedPolicyArns"))
      .filter((name) => !harmless.has(name))
      .map((name) => {
        const policy = managed.get(name);
        if (policy === undefined) throw notEmulated(role, `the managed policy ${name}`);
        return documentOf(policy);
      });
    const fromOutside = attached
      .filter(({ roles: names }) => names.includes(roleName(role)))
      .map(({ policy }) => documentOf(policy));
    return joined([...inline, ...named, ...fromOutside]);
  };
}
