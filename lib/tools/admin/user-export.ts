import { announcedState } from "../../orders/wallet-policy.ts";
import { everythingOf, type ItemName, itemAt } from "../../table/keys.ts";
import { type Item, queryPages, type Table, withoutKey } from "../../table/table.ts";
import { contentOf } from "../../trading/items/items.ts";
import { chainOf } from "../../users/item-keys.ts";
import { policyStateText } from "../../wallets/policy-text.ts";
import { walletIn } from "../../wallets/wallet-records.ts";

/** Parts of the file with a user's data. */
const sections = [
  "profile",
  "settings",
  "presets",
  "wallets",
  "policies",
  "programKeys",
  "events",
  "exports",
  "exportLock",
  "orders",
  "positions",
  "points",
  "redemptions",
  "referrals",
  "connections",
  "devices",
] as const;

type Section = (typeof sections)[number];

/** Reason why the file lacks a kind of item. */
type LeftOut = { because: string };

/**
 * Section of the file for each kind of item in a user's partitions, or the reason why the file lacks it. Secrets stay
 * out, because the file may end up in the wrong hands.
 */
export const exportedItems: Readonly<Partial<Record<ItemName, Section | LeftOut>>> = {
  profile: "profile",
  progress: { because: "repeats the profile" },
  referral: "referrals",
  settings: "settings",
  preset: "presets",
  wallet: "wallets",
  sealedKey: { because: "a secret; owners export it themselves" },
  usedKey: { because: "recognizes repeated requests" },
  automaticBuy: { because: "repeats the orders" },
  restingTurn: { because: "counts requests" },
  openExecution: { because: "repeats the orders and positions" },
  connection: "connections",
  connectionCount: { because: "repeats the connections" },
  deviceCount: { because: "repeats the devices" },
  device: "devices",
  deviceAddress: { because: "a secret" },
  userKey: { because: "a secret" },
  walletEvent: "events",
  policy: "policies",
  shownPolicy: { because: "repeats the policies" },
  endedLock: { because: "repeats the lock" },
  exportRequest: { because: "repeats the announced exports" },
  exportLock: "exportLock",
  unlockRequest: { because: "repeats the lock" },
  announcedExport: "exports",
  announcedUnlocking: "exportLock",
  announcedDay: { because: "counts the announced exports" },
  exportedKey: { because: "repeats the events" },
  order: "orders",
  listedOrder: "orders",
  position: "positions",
  listedPosition: "positions",
  trade: { because: "has the codes that prove an order" },
  book: { because: "repeats the positions" },
  resting: { because: "repeats the orders" },
  programKey: "programKeys",
  programKeyTurn: { because: "counts the program keys" },
  usedToken: { because: "recognizes repeated requests" },
  cancellation: { because: "repeats the orders" },
  cutoff: { because: "repeats the orders" },
  walletCutoff: { because: "repeats the orders" },
  redemption: "redemptions",
  pointsLine: "points",
  marketLooks: { because: "limits requests, and expires within minutes" },
  marketHistories: { because: "limits requests, and expires within two days" },
};

export type UserExport = Record<Section, object[]>;

/** Collects the data of a user, without secrets. */
export async function exportOf(table: Table, userID: string): Promise<UserExport> {
  const found = new Map<Section, Map<string, object>>(sections.map((section) => [section, new Map()]));
  for (const range of everythingOf(userID)) {
    for await (const page of queryPages<Record<string, unknown>>(table, range)) {
      for (const item of page) {
        const section = sectionOf(item);
        if (section !== undefined) found.get(section)?.set(nameOf(item), shownIn(section, item));
      }
    }
  }
  const all = sections.map((section) => [section, [...(found.get(section)?.values() ?? [])]]);
  return Object.fromEntries(all) as UserExport;
}

function sectionOf(item: Item): Section | undefined {
  const kind = itemAt(item);
  const section = kind && exportedItems[kind];
  return typeof section === "string" ? section : undefined;
}

/** Names an order and a position by its id, because each is stored twice. */
function nameOf(item: Item): string {
  switch (itemAt(item)) {
    case "order":
    case "listedOrder":
      return String(item.orderId);
    case "position":
    case "listedPosition":
      return String(item.positionId);
    default:
      return `${item.PK} ${item.SK}`;
  }
}

function shownIn(section: Section, item: Item): object {
  switch (section) {
    case "wallets":
      return walletIn(item);
    case "policies": {
      const { chain, wallet, ...record } = contentOf("policy", item);
      return { chain, wallet, ...policyStateText(chain, announcedState(record)) };
    }
    case "profile": {
      // The id belongs to somebody else, whose name `referredBy` has.
      const { referrerId: _, ...profile } = item;
      return contentIn(profile as Item);
    }
    case "settings":
      return { chain: chainOf(item), ...contentIn(item) };
    default:
      return contentIn(item);
  }
}

/** Leaves out where the item is stored. Turns sets into lists, because JSON has no sets. */
const contentIn = ({ lane: _, ...item }: Item): object =>
  Object.fromEntries(
    Object.entries(withoutKey(item)).map(([name, value]) => [
      name,
      value instanceof Set ? [...value] : value,
    ]),
  );
