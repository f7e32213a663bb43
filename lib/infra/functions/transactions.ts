import type { Operation, TableAction } from "../../operations/types.ts";
import type { PartitionName } from "../../table/layout.ts";
import type { LeadingKeys } from "../configuration.ts";

/** IAM action for condition checks in transactions. */
export const checking = "dynamodb:ConditionCheckItem" satisfies TableAction;

/** Lists the partitions that a row's transactions may name. Undefined if they may check items of any partition. */
export const transactionPartitionsOf = (
  { writes, enforces }: Pick<Operation, "writes" | "enforces">,
  leadingKeys: LeadingKeys,
): PartitionName[] | undefined =>
  leadingKeys === "each-part" ? undefined : [...new Set([...writes, ...enforces])];

/** Lists a row's actions on the table. If its transactions may not check all items, this includes reading. */
export const tableActionsOf = (
  { table }: Pick<Operation, "table">,
  leadingKeys: LeadingKeys,
): TableAction[] =>
  leadingKeys === "whole-request" && table.includes(checking)
    ? [...new Set<TableAction>([...table, "dynamodb:BatchGetItem"])]
    : [...table];
