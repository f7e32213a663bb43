import { type CfnStack, NestedStack, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type OperationName, operations, type Subject, subjectOf } from "../../operations/operations.ts";

/** Names a stack of functions: a subject, or the functions that open wallets, together with their network. */
export type FunctionStackName = Subject | "custody";

/**
 * The stack of a row's function, which depends on nothing but the row: other rows never move it. Undefined for the
 * authorizers, which are in the stack of the APIs, because their permissions name the APIs' authorizers.
 */
export const functionStackOf = (name: OperationName): FunctionStackName | undefined =>
  operations[name].opensWallets ? "custody" : subjectOf(name);

/**
 * Functions with everything that only they need: CloudFormation allows 500 resources in a stack. It is nested in the
 * stack of the APIs, so that an update of that one adds functions before the methods that invoke them, deletes functions
 * after their methods, and undoes everything if anything fails.
 */
export class FunctionStack extends NestedStack {
  constructor(scope: Construct, id: FunctionStackName) {
    super(scope, id, { description: `Trading terminal: functions (${id})` });
    // Functions are named after it. CDK's own id is so long that CloudFormation would cut off the rest of their names.
    (this.nestedStackResource as CfnStack).overrideLogicalId(id);
  }
}

/** The name of this scope's stack, or of its parent if it is nested. */
export function deployedStackName(scope: Construct): string {
  const { nestedStackParent, stackName } = Stack.of(scope);
  return nestedStackParent === undefined ? stackName : deployedStackName(nestedStackParent);
}
