import { itemDescriptions } from "../../table/descriptions.ts";
import type { ItemName } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { isRemains, itemsNaming } from "./erase-items.ts";
import { walletKeyText } from "./private-keys.ts";
import type { Deletion } from "./user-deletion.ts";
import { fates } from "./user-items.ts";

/** Lists what a deletion has left of a user, with reasons. Reads the whole table, so that it tells the truth. */
export async function deletionReceipt(
  table: Table,
  userID: string,
  { deletion, hasDirectory }: { deletion: Deletion; hasDirectory: boolean },
): Promise<string[]> {
  const { pseudonym, deletedAt, keptKeys, deletedKeys } = deletion;
  const found = await itemsNaming(table, userID, pseudonym);
  const counts = new Map<ItemName, number>();
  for (const each of found) if (!isRemains(each)) counts.set(each.kind, (counts.get(each.kind) ?? 0) + 1);
  return [
    deletedAt === undefined
      ? `${userID} is deleted except for the account, which still has private keys`
      : `${userID} was deleted at ${deletedAt}`,
    `pseudonym: ${pseudonym}`,
    ...deletedKeys.map((key) => {
      return `deleted by this run: the private key of ${walletKeyText(key)}${key.exportedAt === undefined ? ", never exported" : ""}`;
    }),
    "stays in the table:",
    ...[...counts]
      .toSorted()
      .map(([kind, count]) => `  ${count} of "${itemDescriptions[kind]}": ${reasonFor(kind)}`),
    ...(deletedAt === undefined ? [] : [`  1 of "the profile": ${untilTokensEnd}`]),
    ...(counts.has("trade") || counts.has("ledger")
      ? [`  the addresses of wallets in orders: ${publicReason}`]
      : []),
    ...keptKeys.map((key) => `  the private key of ${walletKeyText(key)}: ${keyReason}`),
    "stays outside of the table:",
    ...outside(userID, { isWhole: deletedAt !== undefined, hasDirectory }).map((line) => `  ${line}`),
  ];
}

/** Reason for an item that stays under the pseudonym, or with the account. */
function reasonFor(kind: ItemName): string {
  const fate = fates[kind];
  if (fate?.is === "renamed") return `${fate.because}; under the pseudonym`;
  return "belongs to the account";
}

const untilTokensEnd =
  "only the userID and the pseudonym; refuses tokens from before, and expires after 40 days";

const publicReason = "the chain shows them to everybody, and without them nobody could check the orders";

const keyReason = "not exported; its owner can sign in and export it, or delete it with --delete-keys";

/** `hasDirectory` is false if users sign in elsewhere. */
type Place = { isWhole: boolean; hasDirectory: boolean };

const outside = (userID: string, place: Place) => [
  ...directoryLines(userID, place),
  "backups: the table's own ones last 35 days; if one replaces the whole table, run this command again",
  "access logs: the userID with addresses of clients, for a month",
  "CloudTrail: uses of the wallets' keys with userID and address, for as long as you keep its logs",
  "your own targets of the bus for notices, and your copies of exported data",
  "the chains: transactions are public for good",
];

function directoryLines(userID: string, { isWhole, hasDirectory }: Place): string[] {
  if (!isWhole) return ["the directory: the user, who must sign in to export private keys"];
  return hasDirectory ? [] : [`the directory of your issuer: delete ${userID} there`];
}
