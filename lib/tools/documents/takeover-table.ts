import { type OperationName, operations } from "../../operations/operations.ts";
import type { Operation, PlanAction } from "../../operations/types.ts";
import type { Rights } from "./takeover.ts";
import { takeovers } from "./takeovers.ts";

/** Lists for docs/SECURITY.md what each function could do if it were compromised. */
export function takeoverTable(): string {
  return [
    "| Function | Reads | Writes | Deletes from | May also | An intruder can at most |",
    "| --- | --- | --- | --- | --- | --- |",
    ...takeovers.map(({ functions: [first, ...others], atMost }) => {
      const { reads, writes, deletes, uses } = rightsOf(first);
      return `| ${[[first, ...others].join(", "), reads, writes, deletes, uses, atMost].join(" | ")} |`;
    }),
  ].join("\n");
}

/** Describes all rights of a function in the wording of the table. The texts of rights that it lacks are empty. */
export function rightsOf(name: OperationName): Rights {
  const row: Operation = operations[name];
  return {
    reads: joined([...readsOf(row), ...(row.kind === "changes" ? ["all changes"] : [])]),
    // Leaves out rows that only delete, which also name their partitions in `writes`.
    writes: row.table.some((action) => /:(Put|Update)Item$/.test(action)) ? joined(row.writes) : "",
    deletes: joined(row.deletes),
    uses: usesOf(row).join("; "),
  };
}

const joined = (names: readonly string[]) => names.join(", ");

function readsOf({ kind, table, reads }: Operation): readonly string[] {
  const isRead = /:(GetItem|BatchGetItem|Query|ConditionCheckItem)$/;
  if (!table.some((action) => isRead.test(action))) return [];
  return kind === "notices" ? reads : ["all unprotected", ...reads];
}

function usesOf({
  kind,
  key,
  importKeys,
  mac,
  childMac,
  connections,
  invokes,
  notices,
  plans,
}: Operation): string[] {
  const named = {
    "kms:GenerateDataKey": "make data keys",
    "kms:Decrypt": "decrypt wallets",
    "kms:GetPublicKey": "read import keys",
    "kms:DeriveSharedSecret": "open sealed imports",
    "kms:GenerateMac": "authenticate orders",
    "kms:VerifyMac": "check orders",
  };
  const ofChildren = { "kms:GenerateMac": "authenticate children", "kms:VerifyMac": "check children" };
  const methods = { GET: "look up", POST: "send to", DELETE: "close" };
  const some = (verb: string, things: readonly string[], ending = "") =>
    things.length > 0 ? [`${verb}${joined(things)}${ending}`] : [];
  return [
    ...[...key, ...importKeys, ...mac].map((action) => named[action]),
    ...childMac.map((action) => ofChildren[action]),
    ...some(
      "",
      connections.map((method) => methods[method]),
      " connections",
    ),
    ...some("invoke ", invokes),
    ...(notices ? ["send notices"] : []),
    ...(kind === "notices" ? ["read notices, queue retries, read the key for pushes"] : []),
    ...some("", verbsOf(plans), " API keys and plans"),
  ];
}

/** Returns the first word of each action, without repetitions. */
const verbsOf = (actions: readonly PlanAction[]) => [
  ...new Set(actions.map((action) => (/^[A-Z][a-z]+/.exec(action)?.[0] ?? action).toLowerCase())),
];
