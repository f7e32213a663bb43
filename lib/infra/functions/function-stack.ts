import { type CfnStack, NestedStack, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type OperationName, operations, type Subject, subjectOf } from "../../operations/operations.ts";

/**
 * Name of a stack of functions: a subject of operations, or `custody` for the functions that open wallets and their
 * network.
 */
export type FunctionStackName = Subject | "custody";

/**
 * Returns the stack of a row's function. It depends on that row alone, so other rows never move the function. Undefined
 * for the authorizers: they are in the stack of the APIs, because their permissions name the APIs' authorizers.
 */
export const functionStackOf = (name: OperationName): FunctionStackName | undefined =>
  operations[name].opensWallets ? "custody" : subjectOf(name);

/**
 * Stack of functions and everything that only they need, because a stack may have only 500 resources. Updates of the
 * APIs' stack, which contains it, add functions before the methods that invoke them, delete functions after their
 * methods, and undo everything if anything fails.
 */
export class FunctionStack extends NestedStack {
  constructor(scope: Construct, id: FunctionStackName) {
    super(scope, id, { description: `Trading terminal: functions (${id})` });
    // Gives the stack a short id, which becomes part of the functions' names. CDK's own id is so long that
    // CloudFormation would cut off the rest of the name.
    (this.nestedStackResource as CfnStack).overrideLogicalId(id);
  }
}

/** Name of this scope's stack, or of its parent if it is nested. */
export function deployedStackName(scope: Construct): string {
  const { nestedStackParent, stackName } = Stack.of(scope);
  return nestedStackParent === undefined ? stackName : deployedStackName(nestedStackParent);
}
