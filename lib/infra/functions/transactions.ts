import type { Operation, TableAction } from "../../operations/types.ts";
import type { PartitionName } from "../../table/layout.ts";
import type { LeadingKeys } from "../config.ts";

/** The action of checks in transactions. */
export const checking = "dynamodb:ConditionCheckItem" satisfies TableAction;

/** The partitions that a transaction of a row's function may name. Undefined if it may check items of any. */
export const transactionPartitionsOf = (
  { writes, enforces }: Pick<Operation, "writes" | "enforces">,
  leadingKeys: LeadingKeys,
): PartitionName[] | undefined =>
  leadingKeys === "each-part" ? undefined : [...new Set([...writes, ...enforces])];

/** The actions of a row's function on the table: the row's, and the one that reads what its transactions may not check. */
export const tableActionsOf = (
  { table }: Pick<Operation, "table">,
  leadingKeys: LeadingKeys,
): TableAction[] =>
  leadingKeys === "whole-request" && table.includes(checking)
    ? [...new Set<TableAction>([...table, "dynamodb:BatchGetItem"])]
    : [...table];
