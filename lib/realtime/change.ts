import { isDeepStrictEqual } from "node:util";
import type { DynamoDBRecord } from "aws-lambda";
import type { SettingsItem } from "../aws/settings-records.ts";
import { imageIn } from "../aws/stream-image.ts";
import type { Item } from "../aws/table.ts";
import { chainOf, executionKindOf, isPrices } from "../aws/table-keys.ts";
import { type Execution, type ExecutionKind, idOf } from "../domain/execution.ts";
import type { Price } from "../domain/price.ts";
import { type Chain, settingsInForce } from "../domain/settings.ts";

/** What a change of the table means to clients. */
export type Change =
  | { of: "settings"; userID: string; chain: Chain; version: number; settings: object }
  | { of: "execution"; userID: string; kind: ExecutionKind; execution: Execution }
  | { of: "prices"; prices: readonly Price[] };

/**
 * Reads a record of the table's stream.
 *
 * @returns undefined when it is of no concern to clients: nothing that is published, nothing new, or an item that has gone.
 * @throws {Error} when the record is not what this service writes.
 */
export function readChange(record: DynamoDBRecord): Change | undefined {
  if (record.eventName === "REMOVE") return undefined;
  const after = imageIn<Item>(record, "NewImage");
  if (after === undefined) throw new Error("The record has no new image");
  const before = imageIn<Item>(record, "OldImage");

  if (isPrices(after)) {
    const { prices } = after as Item<{ prices: Price[] }>;
    return isDeepStrictEqual(before?.prices, prices) ? undefined : { of: "prices", prices };
  }
  const chain = chainOf(after);
  const kind = executionKindOf(after);
  if ((chain ?? kind) === undefined || before?.version === after.version) return undefined;
  const { userID } = after;
  if (typeof userID !== "string") throw new Error("The record is nobody's");
  if (chain !== undefined) {
    const item = after as Item<SettingsItem>;
    return { of: "settings", userID, chain, version: item.version, settings: settingsInForce(chain, item) };
  }
  const execution = after as Item<Execution>;
  if (kind === undefined || idOf(execution) === undefined) throw new Error("The record is of no known kind");
  return { of: "execution", userID, kind, execution };
}
