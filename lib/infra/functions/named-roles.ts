import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type OperationName, operations } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { deployedStackName, functionStackOf } from "./function-stack.ts";

/**
 * The last part of fixed names. It names the stack, because a row that moves to another one gets a new function and a
 * new role before the old ones are deleted.
 */
const ownPart = (name: OperationName) => `${functionStackOf(name)}-${name}`;

/**
 * The name of a role that a key policy refers to. A reference would be a cycle, because the role's own policy
 * refers to the key. Roles are global, so the name contains the region.
 *
 * @param apiStackName the stack of the APIs, in which the stacks of functions are nested
 */
export const roleNameOf = (apiStackName: string, name: OperationName) =>
  `${apiStackName}-${Aws.REGION}-${ownPart(name)}`;

/** The ARN of that role. The role may not exist yet. */
export const roleArnOf = (scope: Construct, apiStackName: string, name: OperationName) =>
  Stack.of(scope).formatArn({
    service: "iam",
    region: "",
    resource: "role",
    resourceName: roleNameOf(apiStackName, name),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });

/**
 * True if the row's function has a name of its own. executeOrders and readChains invoke each other, and so do functions in
 * the stacks of realtime and markets, so references both ways would be a cycle.
 */
export const hasNamedFunction = (name: OperationName) => name === "readChains" || name === "readMarkets";

export const functionNameOf = (scope: Construct, name: OperationName) =>
  `${deployedStackName(scope)}-${ownPart(name)}`;

/** The ARN of that function. The function may not exist yet. */
export const functionArnOf = (scope: Construct, name: OperationName) =>
  Stack.of(scope).formatArn({
    service: "lambda",
    resource: "function",
    resourceName: functionNameOf(scope, name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** True if a key policy names the role of a row's function. */
export const hasNamedRole = ({ mac, importKeys, opensWallets }: Operation) =>
  opensWallets || mac.length > 0 || importKeys.includes("kms:DeriveSharedSecret");

export const rowsThat = (choose: (row: Operation) => boolean): OperationName[] =>
  (Object.keys(operations) as OperationName[]).filter((name) => choose(operations[name]));
