import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import type { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./table.ts";

/** A write that may have a condition. */
type Write = DeleteCommand | PutCommand | UpdateCommand;

/** @returns whether it was written; false, and changes nothing, when the command's condition does not hold. */
export async function writeIf({ client }: Table, command: Write): Promise<boolean> {
  try {
    // One signature of `send` takes any of them, which its overloads cannot say.
    await client.send(command as UpdateCommand);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
