import type { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../../lib/table/table.ts";

/** Wraps a table to act before and after each command. */
export function interceptedTable(
  { name, id, client }: Table,
  before: (command: unknown) => unknown,
  after: (command: unknown) => unknown = () => {},
): Table {
  const send = async (command: unknown) => {
    await before(command);
    const answer = await client.send(command as ScanCommand);
    await after(command);
    return answer;
  };
  return {
    name,
    id,
    client: new Proxy(client, { get: (_, key) => (key === "send" ? send : Reflect.get(client, key)) }),
  };
}
