import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Key } from "../../../../lib/table/keys.ts";
import type { Table } from "../../../../lib/table/table.ts";
import { interceptedTable } from "../../../support/intercepted-table.ts";

/** Adds up the size of an item or a value by AWS's rules, in bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(value).replace(/\D/g, "").length / 2) + 1;
  if (typeof value !== "object" || value === null) return 1;
  const parts = Array.isArray(value) ? value.map(bytesOf) : [fieldBytes(value)];
  return 3 + parts.reduce((sum, bytes) => sum + bytes, Object.keys(value).length);
}

const fieldBytes = (fields: object) =>
  Object.entries(fields).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOf(value), 0);

type Written = { keys: readonly Partial<Key>[]; unitsPerKilobyte: number };

/** Lists the items that a command writes or checks. */
function writtenBy(command: unknown): Written {
  if (command instanceof TransactWriteCommand) {
    const keys = (command.input.TransactItems ?? []).map(
      ({ Put, Update, Delete, ConditionCheck }) =>
        Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {},
    );
    return { keys, unitsPerKilobyte: 2 };
  }
  if (command instanceof PutCommand) return { keys: [command.input.Item ?? {}], unitsPerKilobyte: 1 };
  if (command instanceof UpdateCommand || command instanceof DeleteCommand)
    return { keys: [command.input.Key ?? {}], unitsPerKilobyte: 1 };
  return { keys: [], unitsPerKilobyte: 0 };
}

export type UnitCounter = ReturnType<typeof countingUnits>;

/**
 * Counts a table's write units as AWS bills them: one for each started kilobyte of an item, before or after the write.
 * DynamoDB Local counts differently.
 */
export function countingUnits(table: Table) {
  let units = 0;
  const sizesOf = ({ keys }: Written) =>
    Promise.all(
      keys.map(async ({ PK, SK }) => {
        const read = new GetCommand({ TableName: table.name, Key: { PK, SK }, ConsistentRead: true });
        const { Item = {} } = await table.client.send(read);
        return fieldBytes(Item);
      }),
    );
  const before = new Map<unknown, number[]>();
  const counting = interceptedTable(
    table,
    async (command) => before.set(command, await sizesOf(writtenBy(command))),
    async (command) => {
      const written = writtenBy(command);
      const after = await sizesOf(written);
      const kilobytes = after.map((bytes, index) =>
        Math.max(1, Math.ceil(Math.max(bytes, before.get(command)?.[index] ?? 0) / 1024)),
      );
      units += written.unitsPerKilobyte * kilobytes.reduce((sum, each) => sum + each, 0);
    },
  );
  return {
    table: counting,
    /** Returns the units used since the last call. */
    take(): number {
      const taken = units;
      units = 0;
      return taken;
    },
  };
}
