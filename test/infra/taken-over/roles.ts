import { readAccess } from "cdk-local-runner/testing";
import type { OperationName } from "../../../lib/operations/operations.ts";
import { partitionNameOf } from "../../../lib/table/layout.ts";
import { customContext, logicalIdOf, only, synthesize, tradingContext } from "../synthesized.ts";
import type { Allowed } from "./spoiler.ts";

const { priceFeeds } = customContext;
const { data, api } = synthesize({ ...tradingContext, priceFeeds });
const access = readAccess([
  { name: "TerminalData", template: data },
  { name: "TerminalApi", template: api },
]);
const tableArn = access.arn(only(data, "AWS::DynamoDB::Table").id);
const actions = { write: ["PutItem", "UpdateItem"], delete: ["DeleteItem"] } as const;

/** Decides by the deployed role of a function. */
export function allowedTo(name: OperationName): Allowed {
  const role = access.ref(logicalIdOf(api, name));
  const known = new Map<string, boolean>();
  return (what, partition) => {
    const key = `${what} ${partitionNameOf(partition)}`;
    const values = { "dynamodb:LeadingKeys": [partition] };
    const isAllowed = (action: string) =>
      access.denial(role, { action: `dynamodb:${action}`, resource: tableArn, values }) === undefined;
    const answer = known.get(key) ?? actions[what].some(isAllowed);
    known.set(key, answer);
    return answer;
  };
}
