import { operations } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { itemDescriptions, partitionNotes } from "../../table/descriptions.ts";
import type { ItemName } from "../../table/keys.ts";
import { type PartitionLayout, type PartitionName, partitionNameOf, partitions } from "../../table/layout.ts";

/** Makes docs/table.md: the partitions of the table, and the items in each. */
export function tablePage(): string {
  return [
    "# The table",
    "",
    "Generated from [the layout](../lib/table/layout.ts) and [its descriptions](../lib/table/descriptions.ts) by `npm run documents`.",
    "Do not edit this page.",
    "",
    "All state is in one DynamoDB table, with the keys `PK` and `SK`.",
    "Keys vary in the names in braces.",
    "`newestFirst` is a time that counts down, so that later items come first.",
    "",
    "Changes of some items are sent on: to the connections of its user, to the subscribers of a channel, or to `mirrorPlans`.",
    "Items of the moment describe what exists elsewhere right now, such as connections: an old copy is wrong, so backups skip them.",
    ...partitions.flatMap((partition) => ["", ...section(partition)]),
    "",
  ].join("\n");
}

function section(partition: PartitionLayout): string[] {
  const { key, owner, isGuarded, isSecret, items } = partition;
  const name = partitionNameOf(key);
  const note = partitionNotes[name];
  return [
    `## ${key}`,
    "",
    `Belongs to ${owner === "user" ? "the user" : "the service"}.`,
    ...(isGuarded ? [`Guarded: only ${functionsThat("writes", name)} write it.`] : []),
    ...(isGuarded || isSecret ? [`Only ${functionsThat("reads", name)} read it.`] : []),
    ...(note === undefined ? [] : [note.replaceAll(/(?<=\.) (?=[A-Z])/g, "\n")]),
    "",
    "| Sort key | Item | Changes go to | Of the moment |",
    "| --- | --- | --- | --- |",
    ...Object.entries(items).map(
      ([item, { key, changesGoTo = "", isOfTheMoment }]) =>
        `| ${key} | ${itemDescriptions[item as ItemName]} | ${changesGoTo} | ${isOfTheMoment ? "yes" : ""} |`,
    ),
  ];
}

/** Names the functions that have a right on a partition. Operators have all rights. */
function functionsThat(right: "writes" | "reads", partition: PartitionName): string {
  const functions = Object.entries<Operation>(operations)
    .filter(([, row]) => (row[right] as readonly PartitionName[]).includes(partition))
    .map(([name]) => `\`${name}\``);
  return new Intl.ListFormat("en").format([...functions, "operators"]);
}
