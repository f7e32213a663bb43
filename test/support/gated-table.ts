import { type Access, accessRequestsOf, type LeadingKeys } from "cdk-local-runner/testing";
import type { PartitionName } from "../../lib/table/layout.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import type { Engine } from "./dynamodb.ts";

/** A function whose role decides about its calls. */
export type GatedFunction = {
  name: string;
  access: Pick<Access, "denial">;
  /** The ARN by which policies name the table. */
  tableArn: string;
  transactionPartitions?: readonly PartitionName[] | undefined;
};

type Gate = {
  leadingKeys: LeadingKeys;
  /** Receives the actions that were denied. */
  onDenial: (action: string) => void;
};

/** Opens a table of the engine as a function reaches it: with the rights of its role only. */
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
