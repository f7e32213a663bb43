import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type OperationName, operations } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { deployedStackName, functionStackOf } from "./function-stack.ts";

/**
 * Suffix of the fixed names of roles and functions. It contains the stack's name, so that a function can move to
 * another stack: the new function and role are created before the old ones are deleted.
 */
const ownPart = (name: OperationName) => `${functionStackOf(name)}-${name}`;

/**
 * Name of a role that a key policy refers to. A reference would form a cycle, because the role's own policy refers to
 * the key. Roles are global, so the name contains the region.
 *
 * @param apiStackName the stack of the APIs, in which the stacks of functions are nested
 */
export const roleNameOf = (apiStackName: string, name: OperationName) =>
  `${apiStackName}-${Aws.REGION}-${ownPart(name)}`;

/** ARN of a role that a key policy refers to. The role may not exist yet. */
export const roleArnOf = (scope: Construct, apiStackName: string, name: OperationName) =>
  Stack.of(scope).formatArn({
    service: "iam",
    region: "",
    resource: "role",
    resourceName: roleNameOf(apiStackName, name),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });

/**
 * True if the row's function has a fixed name. Some functions invoke each other, such as executeOrders and readChains,
 * and references in both directions would form a cycle.
 */
export const hasNamedFunction = (name: OperationName) => name === "readChains" || name === "readMarkets";

export const functionNameOf = (scope: Construct, name: OperationName) =>
  `${deployedStackName(scope)}-${ownPart(name)}`;

/** ARN of a function with a fixed name. The function may not exist yet. */
export const functionArnOf = (scope: Construct, name: OperationName) =>
  Stack.of(scope).formatArn({
    service: "lambda",
    resource: "function",
    resourceName: functionNameOf(scope, name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** True if a key policy names the role of a row's function. */
export const hasNamedRole = ({ mac, childMac, importKeys, opensWallets }: Operation) =>
  opensWallets || mac.length + childMac.length > 0 || importKeys.includes("kms:DeriveSharedSecret");

export const rowsThat = (choose: (row: Operation) => boolean): OperationName[] =>
  (Object.keys(operations) as OperationName[]).filter((name) => choose(operations[name]));
