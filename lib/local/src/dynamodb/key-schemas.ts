import { type GatewayRequest, header } from "../http/messages.ts";
import { ask, type Forward } from "./forward.ts";

/**
 * Finds the names of a table's key attributes, in the database of the request. Undefined for a table that does not
 * exist.
 */
export type KeyNames = (request: GatewayRequest, table: string) => Promise<string[] | undefined>;

/** Asks the database for key attributes, once for each table. */
export function keySchemas(forward: Forward): KeyNames {
  const known = new Map<string, Promise<string[] | undefined>>();

  async function describe(request: GatewayRequest, TableName: string): Promise<string[] | undefined> {
    const { Table } = (await ask(forward, request, "DescribeTable", { TableName })) as {
      Table?: { KeySchema: { AttributeName: string }[] };
    };
    return Table?.KeySchema.map(({ AttributeName }) => AttributeName);
  }

  return (request, table) => {
    const name = `${databaseOf(request)} ${table}`;
    const found = known.get(name) ?? describe(request, table);
    known.set(name, found);
    // Remembers no missing table, because it may be created later.
    void found.then(
      (names) => names === undefined && known.delete(name),
      () => known.delete(name),
    );
    return found;
  };
}

/** Names the database of a request: DynamoDB Local has one for each access key and Region. */
export function databaseOf(request: GatewayRequest): string {
  const [, accessKey = "", region = ""] =
    /Credential=([^/,]*)\/[^/,]*\/([^/,]*)/.exec(header(request, "authorization") ?? "") ?? [];
  return `${accessKey}/${region}`;
}
