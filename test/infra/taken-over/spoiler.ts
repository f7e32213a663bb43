import { BatchWriteCommand, NumberValue } from "@aws-sdk/lib-dynamodb";
import type { Key } from "../../../lib/table/keys.ts";
import { type PartitionName, partitionNameOf, partitions } from "../../../lib/table/layout.ts";
import type { Item, Table } from "../../../lib/table/table.ts";
import type { Random } from "../../trading/model/random.ts";

/** Decides whether a role allows writing or deleting an item of this partition. */
export type Allowed = (what: "write" | "delete", partition: string) => boolean;

/** Functions that turn a value into one that no part of the service writes. */
const oddities: readonly ((value: unknown) => unknown)[] = [
  () => "x",
  (value) => ` ${value}`,
  () => "",
  () => -1,
  () => 0.5,
  () => NumberValue.from("9007199254740993"),
  () => NumberValue.from("1e100"),
  () => null,
  () => true,
  () => [],
  () => ({ unknown: 1 }),
  (value) => new Set([`${value}`]),
  () => new Set([1, 2]),
  (value) => ({ bigint: ` ${value}` }),
  () => ({ bigint: "-1" }),
  () => ({ bigint: "x" }),
  () => undefined,
];

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Replaces a random part of an item. */
function oddly(item: Record<string, unknown>, random: Random): Record<string, unknown> {
  const name = random.pick(Object.keys(item).filter((each) => each !== "PK" && each !== "SK"));
  if (name === undefined) return { ...item, unknown: 1 };
  const value = item[name];
  const odd = isMap(value) && random.chance(0.7) ? oddly(value, random) : random.pick(oddities)?.(value);
  return { ...item, [name]: odd };
}

/** Makes a plain item for a key that does not exist yet. */
export const asPlain = (key: Key): Item => ({ ...key, isPlain: true });

export const isReal = (item: Item): boolean => item.isPlain !== true;

/** Makes plain items for the partitions that are empty. */
export function plainItems(present: readonly Item[]): Item[] {
  const filled = (pattern: string) =>
    pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === "chain" ? "eth" : "plain"));
  return partitions
    .filter(({ key }) => present.every(({ PK }) => partitionNameOf(PK) !== partitionNameOf(key)))
    .flatMap(({ key, items }) =>
      Object.values(items).map((item) => asPlain({ PK: filled(key), SK: filled(item.key) })),
    );
}

const longAgo = (item: Item): Item => ({
  ...item,
  ...Object.fromEntries(
    ["seenAt", "availableAt", "requestedAt"]
      .filter((name) => name in item)
      .map((name) => [name, "2020-01-01T00:00:00.000Z"]),
  ),
});

/** An intruder who spoils all items that a role may write. */
export class Spoiler {
  readonly written = new Set<PartitionName>();
  readonly deleted = new Set<PartitionName>();
  readonly #table: Table;
  readonly #allowed: Allowed;
  readonly #random: Random;
  /** Set once an item of 300 KB was written. There is only one, because each takes long. */
  #hasLarge = false;

  constructor(table: Table, allowed: Allowed, random: Random) {
    this.#table = table;
    this.#allowed = allowed;
    this.#random = random;
  }

  #may(what: "write" | "delete", { PK }: Item): boolean {
    const isAllowed = this.#allowed(what, PK);
    if (isAllowed) this[what === "write" ? "written" : "deleted"].add(partitionNameOf(PK));
    return isAllowed;
  }

  /** Writes invalid contents into most items, and deletes some. Returns false if it may do neither. */
  async spoil(items: readonly Item[]): Promise<boolean> {
    const requests = items.flatMap((item): object[] => {
      const { PK, SK } = item;
      const [mayWrite, mayDelete] = [this.#may("write", item), this.#may("delete", item)];
      if (mayDelete && this.#random.chance(0.3)) return [{ DeleteRequest: { Key: { PK, SK } } }];
      if (!mayWrite || this.#random.chance(0.2)) return [];
      if (!this.#hasLarge && this.#random.chance(0.1)) {
        this.#hasLarge = true;
        return [{ PutRequest: { Item: { ...item, unknown: "x".repeat(300_000) } } }];
      }
      const another = this.#random.pick(items);
      const odd = this.#random.chance(0.1) ? { ...another } : oddly(item, this.#random);
      return [{ PutRequest: { Item: { ...odd, PK, SK } } }];
    });
    await this.#send(requests);
    return this.written.size > 0;
  }

  /** Rewrites real items with old dates, and deletes the others. */
  rewind(items: readonly Item[]): Promise<void> {
    return this.#send(
      items.flatMap((item): object[] => {
        const { PK, SK } = item;
        if (isReal(item)) return this.#may("write", item) ? [{ PutRequest: { Item: longAgo(item) } }] : [];
        return this.#may("delete", item) ? [{ DeleteRequest: { Key: { PK, SK } } }] : [];
      }),
    );
  }

  async #send(requests: readonly object[]): Promise<void> {
    const { client, name } = this.#table;
    for (let start = 0; start < requests.length; start += 25)
      await client.send(
        new BatchWriteCommand({ RequestItems: { [name]: requests.slice(start, start + 25) as never } }),
      );
  }
}
