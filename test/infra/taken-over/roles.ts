import { readAccess } from "cdk-local-runner/testing";
import type { OperationName } from "../../../lib/operations/operations.ts";
import { partitionNameOf } from "../../../lib/table/layout.ts";
import { customContext, logicalIdOf, only, synthesize, tradingContext, walletKeyOf } from "../synthesized.ts";
import type { Allowed } from "./spoiler.ts";

const { priceFeeds } = customContext;
const { data, api } = synthesize({ ...tradingContext, priceFeeds });

/** Rights of all functions, with prices, trading and exports. */
export const access = readAccess([
  { name: "TerminalData", template: data },
  { name: "TerminalApi", template: api },
]);

/** ARN of the table in policies. */
export const tableArn = access.arn(only(data, "AWS::DynamoDB::Table").id);

/** ARNs of the keys that encrypt wallets and make MACs. */
export const kmsKeyArns = [walletKeyOf({ data }).id, only(api, "AWS::KMS::Key").id].map(access.arn);

/** Returns the deployed name of a function, which identifies its role. */
export const roleOf = (name: OperationName): string => access.ref(logicalIdOf(api, name));

/** Decides by the deployed role of a function whether it may act on the items of a partition. */
export function isAllowed(role: string, action: string, partition: string): boolean {
  const values = { "dynamodb:LeadingKeys": [partition] };
  return access.denial(role, { action: `dynamodb:${action}`, resource: tableArn, values }) === undefined;
}

const actions = { write: ["PutItem", "UpdateItem"], delete: ["DeleteItem"] } as const;

/** Decides by a function's deployed role, once for all items of a kind. */
export function allowedTo(name: OperationName): Allowed {
  const role = roleOf(name);
  const known = new Map<string, boolean>();
  return (what, partition) => {
    const key = `${what} ${partitionNameOf(partition)}`;
    const answer = known.get(key) ?? actions[what].some((action) => isAllowed(role, action, partition));
    known.set(key, answer);
    return answer;
  };
}
