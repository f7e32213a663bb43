import { keyOf, partsOf, tableOf } from "./calls.ts";
import { ask, type Forward, operationOf, parsed } from "./forward.ts";
import { keySchemas } from "./key-schemas.ts";

/**
 * Delays the answer to a transaction until the database's file contains it. DynamoDB Local answers slightly earlier, so
 * killing it then would lose an acknowledged transaction. Reads one of the items, which waits for the file.
 */
export function withDurableTransactions(forward: Forward): Forward {
  const keyNamesOf = keySchemas(forward);
  return async (request) => {
    const answer = await forward(request);
    if (operationOf(request) !== "TransactWriteItems" || answer.status !== 200) return answer;
    const [part] = partsOf("TransactWriteItems", parsed(request.body)) ?? [];
    const keyNames = part && (await keyNamesOf(request, tableOf(part)));
    if (part !== undefined && keyNames !== undefined)
      await ask(forward, request, "GetItem", {
        TableName: part.TableName,
        Key: keyOf(part, keyNames),
        ConsistentRead: true,
      });
    return answer;
  };
}
