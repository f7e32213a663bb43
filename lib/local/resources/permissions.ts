import * as v from "valibot";
import type { Resources } from "../template/resources.ts";
import { wildcard } from "../wildcard.ts";

const Permission = v.object({
  Action: v.string(),
  FunctionName: v.string(),
  Principal: v.string(),
  SourceArn: v.optional(v.string()),
});

/** Whether an AWS::Lambda::Permission lets API Gateway invoke that function on behalf of that source. */
export type MayInvoke = (functionArn: string, sourceArn: string) => boolean;

export function readPermissions(resources: Resources): MayInvoke {
  const permissions = resources
    .ofType("AWS::Lambda::Permission")
    .map((resource) => v.parse(Permission, resource.properties()))
    .filter(
      ({ Action, Principal }) =>
        Action === "lambda:InvokeFunction" && Principal === "apigateway.amazonaws.com",
    )
    .map(({ FunctionName, SourceArn }) => ({
      name: nameOf(FunctionName),
      covers: wildcard(SourceArn ?? "*"),
    }));

  return (functionArn, sourceArn) =>
    permissions.some(({ name, covers }) => name === nameOf(functionArn) && covers.test(sourceArn));
}

/** A permission names its function by name or by ARN. */
function nameOf(nameOrArn: string): string | undefined {
  return nameOrArn.split(":").at(-1);
}
