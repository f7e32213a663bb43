import { type Access, accessRequestsOf, type LeadingKeys } from "cdk-local-runner/testing";
import type { PartitionName } from "../../lib/table/layout.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import type { Engine } from "./dynamodb.ts";

/** A function whose role restricts its calls. */
export type GatedFunction = {
  name: string;
  access: Pick<Access, "denial">;
  /** ARN that policies use for the table. */
  tableArn: string;
  transactionPartitions?: readonly PartitionName[] | undefined;
};

type Gate = {
  leadingKeys: LeadingKeys;
  /** Called with each denied action. */
  onDenial: (action: string) => void;
};

/** Opens the engine's table the way a function reaches it, limited to its role's rights. */
export function gatedTable(
  { connection }: Pick<Engine, "connection">,
  { name: tableName, id }: Table,
  { name, access, tableArn, transactionPartitions }: GatedFunction,
  { leadingKeys, onDenial }: Gate,
): Table {
  const table = openTable(tableName, { ...connection, requestHandler: {} });
  const tables = new Map([[tableName, { table: "PK", indexes: {} }]]);
  table.client.middlewareStack.add(
    (next) => async (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: Uint8Array };
      const operation = headers["x-amz-target"]?.split(".").at(-1) ?? "";
      for (const request of accessRequestsOf(
        operation,
        JSON.parse(new TextDecoder().decode(body)),
        tables,
        leadingKeys,
      ) ?? []) {
        const denial = access.denial(name, { ...request, resource: tableArn });
        if (denial === undefined) continue;
        onDenial(request.action);
        throw Object.assign(new Error(denial), { name: "AccessDeniedException" });
      }
      return next(args);
    },
    { step: "build" },
  );
  return { ...table, id, transactionPartitions };
}
