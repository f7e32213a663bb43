import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withDeadline } from "../../../lib/aws/deadline.ts";
import { type OperationName, operations } from "../../../lib/operations/operations.ts";
import type { Operation } from "../../../lib/operations/types.ts";
import { type PartitionName, partitionNameOf, partitions } from "../../../lib/table/layout.ts";
import type { Item } from "../../../lib/table/table.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import { cancellationKey, cutoffPartKeys, ledgerKey, slotKey } from "../../../lib/trading/items/keys.ts";
import { lockKey } from "../../../lib/wallets/item-keys.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { shortPausesForTests } from "../../support/short-pauses.ts";
import { openKeys } from "../../support/signing.ts";
import { Random } from "../../trading/model/random.ts";
import { nowMs } from "./desk.ts";
import { delaySeconds, Owner, type Placed, type Service, signs } from "./owner.ts";
import { allowedTo } from "./roles.ts";
import { type Allowed, asPlain, isReal, plainItems, Spoiler } from "./spoiler.ts";

/** Promises to an owner, each with the only partitions whose writers may break it. */
const claims = {
  "a cancellation succeeds": ["TRADES", "LANE", "CANCELLED"],
  "a cancelled order is not signed": ["CANCELLED"],
  "a change of a policy succeeds": ["WALLETS", "POLICY", "WALLETLOG"],
  "a policy is obeyed": ["POLICY"],
  "a retirement succeeds": ["WALLETS", "USER", "WALLETLOG", "CANCELLED"],
  // Lists nothing, because the wallet and the cutoff of its orders each prevent a signature.
  "a retired wallet does not sign": [],
  "a cancellation of an export succeeds": ["EXPORTED"],
  "a cancelled export stays cancelled": ["EXPORTED"],
  "no key leaves before the delay": ["EXPORTED"],
  "an export arrives after the delay": ["EXPORT", "EXPORTED", "LOCK", "WALLETS", "SEALED", "WALLETLOG"],
  "a locked wallet is not exported": ["LOCK", "EXPORTED"],
  "an order is signed": ["TRADES", "LANE", "WALLETS", "SEALED", "SIGNED", "CANCELLED", "POLICY", "TRADING"],
  "an order is signed once": ["SIGNED"],
  "another order is placed and signed": [
    "TRADES",
    "LANE",
    "LANES",
    "WALLETS",
    "SEALED",
    "USEDKEYS",
    "SETTINGS",
    "SIGNED",
    "CANCELLED",
    "POLICY",
    "TRADING",
  ],
} as const satisfies Record<string, readonly PartitionName[]>;

type Claim = keyof typeof claims;
type Outcome = Record<Claim, boolean>;

const claimNames = Object.keys(claims) as Claim[];

let engine: Engine;
let owners: Owner[];
let items: Item[];
const keys = openKeys();
shortPausesForTests();

beforeAll(async () => {
  engine = await startTable();
  owners = [];
  const service = { table: engine.table, keys, nowMs };
  for (const name of ["ann", "bea"]) owners.push(await Owner.register(service, `user-${name}`));
  const real = await itemsNamed(engine.table, "");
  const absent = owners.flatMap(({ userID, orders }) => [
    lockKey(userID),
    ...cutoffPartKeys(userID),
    ...Object.values(orders).flatMap(({ intent }) => [cancellationKey(intent), ledgerKey(intent.orderId)]),
  ]);
  items = [...real, ...absent.map(asPlain), ...plainItems(real)];
}, engineStart);
afterAll(() => engine.stop());

/** Lists the items of an owner, and those that belong to no owner. */
function itemsOf(owner: Owner): Item[] {
  const names = (each: Owner) => [
    each.userID,
    ...each.wallets.map(({ generatedWalletAddress }) => generatedWalletAddress),
    ...Object.values(each.orders).map(({ intent }) => intent.orderId),
  ];
  const others = owners.filter((each) => each !== owner).flatMap(names);
  return items.filter(({ PK, SK }) => !others.some((name) => `${PK} ${SK}`.includes(name)));
}

type Rights = { allowed: Allowed; seed: number; isEarly?: boolean };

/** Claims that an intruder broke, and claims that its rights allow it to break. */
type Attack = { broken: Claim[]; mayBreak: readonly Claim[]; spoiler: Spoiler };

/** Attacks owners on a separate table. While the last owner acts, all items keep changing. */
async function attack({ allowed, seed, isEarly = true }: Rights): Promise<Attack> {
  // Keeps the id of the original table, so that earlier announcements still count.
  const table = { ...(await engine.newTable()), id: engine.table.id };
  await putItems(table, items.filter(isReal));
  const spoiler = new Spoiler(table, allowed, new Random(seed));
  const mayBreak = claimNames.filter((claim) => claims[claim].some((name) => allowed("write", name)));
  const outcomes: Outcome[] = [];
  for (const owner of mayBreak.length > 0 ? owners : owners.slice(-1)) {
    const isBusy = owner === owners.at(-1);
    outcomes.push(await attackOwner({ table, keys, nowMs }, owner, { spoiler, mayBreak, isEarly, isBusy }));
  }
  const broken = claimNames.filter((claim) => outcomes.some((each) => !each[claim]));
  return { broken, mayBreak, spoiler };
}

type Manner = Pick<Attack, "spoiler" | "mayBreak"> & { isEarly: boolean; isBusy: boolean };

/** If `isEarly`, spoils all items before the owner acts. Rewinds all items afterwards. */
async function attackOwner(
  now: Service,
  owner: Owner,
  { spoiler, mayBreak, isEarly, isBusy }: Manner,
): Promise<Outcome> {
  const own = itemsOf(owner);
  const [trading, , exported] = owner.wallets;
  const { kept, cancelled, forbidden, retired } = owner.orders;
  const at = (seconds: number): Service => ({ ...now, nowMs: now.nowMs + seconds * 1000 });
  // Changes of wallets with invalid items are retried for a long time, but cancellations of an order only a few times.
  const patient = <Result>(claim: Claim, act: () => Promise<Result>) =>
    withDeadline(
      isEarly && mayBreak.includes(claim) && claim !== "a cancellation succeeds" ? 100 : 60_000,
      act,
    );
  const succeeds = async (claim: Claim, act: () => Promise<unknown>) => {
    if (isEarly) await spoiler.spoil(own);
    let isOver = false;
    const acting = patient(claim, act)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        isOver = true;
      });
    while (isBusy && isEarly && !isOver && (await spoiler.spoil(own)));
    return acting;
  };
  const isCancelled = await succeeds("a cancellation succeeds", () => owner.cancelOrder(now));
  const isLimited = await succeeds("a change of a policy succeeds", () => owner.forbidToken(now));
  const isRetired = await succeeds("a retirement succeeds", () => owner.retire(now));
  const isWithdrawn = await succeeds("a cancellation of an export succeeds", () =>
    owner.cancelExport(at(3600)),
  );
  if (isEarly) await spoiler.spoil(own);
  for (const order of [cancelled, forbidden, retired]) await signs(now, order);
  const isSigned = await signs(now, kept);
  const isPlaced = await patient("another order is placed and signed", () => owner.trade(now)).catch(
    () => false,
  );
  const gets = (seconds: number) =>
    patient("an export arrives after the delay", () => owner.gets(at(seconds), exported));
  await spoiler.rewind(own.filter(({ PK }) => PK.startsWith("EXPORT")));
  const isEarlyExport = await gets(delaySeconds - 1);
  const isBack = await owner.gets(at(delaySeconds), trading);
  if (isEarly) await spoiler.spoil(own);
  const isExported = await gets(delaySeconds);
  await owner.lock(at(delaySeconds));
  await spoiler.rewind(own);
  await signs(now, kept);
  await spoiler.rewind(own.filter(({ PK }) => PK.startsWith("SIGNED#")));
  return {
    "a cancellation succeeds": isCancelled,
    // Checks this claim even if the response was an error.
    "a cancelled order is not signed": !(await signs(now, cancelled)),
    "a change of a policy succeeds": isLimited,
    "a policy is obeyed": !(await signs(now, forbidden)) || !isLimited,
    "a retirement succeeds": isRetired,
    "a retired wallet does not sign": !(await signs(now, retired)) || !isRetired,
    "a cancellation of an export succeeds": isWithdrawn,
    "a cancelled export stays cancelled": !isBack || !isWithdrawn,
    "no key leaves before the delay": !isEarlyExport,
    "an export arrives after the delay": isExported,
    "a locked wallet is not exported": !(await gets(delaySeconds)),
    "an order is signed": isSigned,
    "an order is signed once": !(await signs(now, await atAnotherNonce(kept, spoiler))),
    "another order is placed and signed": isPlaced,
  };
}

/** Plants the slot of an order at another nonce. */
async function atAnotherNonce({ intent, planned }: Placed, spoiler: Spoiler): Promise<Placed> {
  const moved = { ...planned, place: planned.place + 9 };
  await spoiler.rewind([{ ...(packed(moved) as object), ...slotKey(moved, moved.place) }]);
  return { intent, planned: moved };
}

const attacks = new Map<string, Promise<Attack>>();

const keysOfPartitions = partitions.map(({ key }) => key);

/** Lists the partitions that a role allows to write and to delete from. */
const rightsOf = (allowed: Allowed) =>
  (["write", "delete"] as const).flatMap((what) =>
    keysOfPartitions.filter((key) => allowed(what, key)).map((key) => `${what} ${key}`),
  );

const rows = Object.entries<Operation>(operations).map(([name, row]) => ({
  name: name as OperationName,
  row,
  allowed: allowedTo(name as OperationName),
}));

const claimed = new Set<PartitionName>(Object.values(claims).flat());

const mayBreakAny = (allowed: Allowed) =>
  keysOfPartitions.some((key) => claimed.has(partitionNameOf(key)) && allowed("write", key));

const bystanders = rows.filter(({ allowed }) => !mayBreakAny(allowed));

/**
 * Combines the rights of all functions that can break no claim: if all of them together break nothing, none does alone.
 */
const allowedToBystanders: Allowed = (what, partition) =>
  bystanders.some(({ allowed }) => allowed(what, partition));

/**
 * Attacks with the rights of a function. Runs only once for equal rights, and once for all functions that no claim
 * depends on.
 */
function attackAs(own: Allowed): Promise<Attack> {
  const allowed = mayBreakAny(own) ? own : allowedToBystanders;
  const rights = rightsOf(allowed).join();
  const known = attacks.get(rights) ?? attack({ allowed, seed: attacks.size });
  attacks.set(rights, known);
  return known;
}

const union = (lists: readonly (readonly PartitionName[])[]) => [...new Set(lists.flat())].sort();

describe("an intruder", () => {
  it.each(rows)(
    "spoils only the partitions that $name may write, and breaks only claims that depend on them",
    async ({ row, allowed }) => {
      const { broken, mayBreak, spoiler } = await attackAs(allowed);
      const { written, deleted } = spoiler;
      const spoiled = new Set<PartitionName>([...written, ...deleted]);
      const others = mayBreakAny(allowed) ? [] : bystanders.map((each) => each.row);
      expect([...spoiled].sort()).toEqual(union([row, ...others].map(({ writes }) => writes)));
      expect([...deleted].sort()).toEqual(union([row, ...others].map(({ deletes }) => deletes)));
      expect(broken.filter((claim) => !mayBreak.includes(claim))).toEqual([]);
    },
  );

  it("breaks every claim with all rights", async () => {
    const broken = new Set<Claim>();
    // A seed may happen to produce only invalid contents that do no harm.
    for (let seed = 1; seed <= 6 && broken.size < claimNames.length; seed++) {
      const { broken: own } = await attack({ allowed: () => true, seed, isEarly: seed !== 2 });
      for (const claim of own) broken.add(claim);
    }
    expect(claimNames.filter((claim) => claims[claim].length > 0 && !broken.has(claim))).toEqual([]);
  });
});
