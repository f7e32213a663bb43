import * as v from "valibot";
import { wildcard } from "../wildcard.ts";
import type { Resources } from "./resources.ts";

const Permission = v.object({
  Action: v.string(),
  FunctionName: v.string(),
  Principal: v.string(),
  SourceArn: v.optional(v.string()),
});

/** True if an AWS::Lambda::Permission lets the service invoke this function for this source. */
export type MayInvoke = (functionArn: string, sourceArn: string) => boolean;

/** Reads the permissions of one service and ignores those of others. */
export function readPermissions(
  resources: Resources,
  service: "apigateway.amazonaws.com" | "events.amazonaws.com" = "apigateway.amazonaws.com",
): MayInvoke {
  const permissions = resources
    .ofType("AWS::Lambda::Permission")
    .map((resource) => v.parse(Permission, resource.properties()))
    .filter(({ Action, Principal }) => Action === "lambda:InvokeFunction" && Principal === service)
    .map(({ FunctionName, SourceArn }) => ({
      name: nameOf(FunctionName),
      covers: wildcard(SourceArn ?? "*"),
    }));

  return (functionArn, sourceArn) =>
    permissions.some(({ name, covers }) => name === nameOf(functionArn) && covers.test(sourceArn));
}

/** Reads the function's name, because a permission refers to it by name or ARN. */
function nameOf(nameOrArn: string): string | undefined {
  return nameOrArn.split(":").at(-1);
}
