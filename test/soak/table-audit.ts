import type { ProfileValues } from "./model.ts";

export type Item = { PK: string; SK: string; [attribute: string]: unknown };

/** The expected data of a user. */
export type Expected = { id: string; referrerId: string | undefined };

const userPrefix = "USER#";
const walletsPrefix = "WALLETS#";
const tradesPrefix = "TRADES#";
const walletPrefix = "WALLET#";
const referralPrefix = "PROFILE#REFERRAL#";

/** Checks these users' counters, owners, referral codes and referrals. Returns problems as sentences. */
export function problemsOfTable(items: readonly Item[], users: readonly Expected[]): string[] {
  const partitions = Map.groupBy(items, ({ PK }) => PK);
  const codes = Map.groupBy(
    items.filter(({ SK }) => SK === "REFCODE"),
    ({ userID }) => userID,
  );
  return [
    ...users.flatMap(({ id }) => {
      const own = [userPrefix, walletsPrefix].flatMap((prefix) => partitions.get(`${prefix}${id}`) ?? []);
      return [
        ...problemsOfCounters(id, own),
        ...problemsOfSlots(id, own),
        ...problemsOfOwners(id, [...own, ...(partitions.get(`${tradesPrefix}${id}`) ?? [])]),
        ...problemsOfCode(id, own, codes.get(id) ?? []),
      ];
    }),
    ...problemsOfReferrals(items, users),
  ];
}

function problemsOfCounters(userID: string, items: readonly Item[]): string[] {
  const profile = items.find(({ SK }) => SK === "PROFILE");
  if (profile === undefined) return [`${userID} has no profile`];
  return (
    [
      ["walletCount", walletPrefix],
      ["usersReferred", referralPrefix],
    ] as const
  ).flatMap(([counter, prefix]) => {
    // Skips retired wallets, which occupy no slot.
    const count = items.filter(
      ({ SK, retiredAt }) => SK.startsWith(prefix) && retiredAt === undefined,
    ).length;
    return profile[counter] === count
      ? []
      : [`${counter} of ${userID} is ${profile[counter]} instead of ${count}`];
  });
}

/** Checks that wallets are numbered from 1 without gaps. */
function problemsOfSlots(userID: string, items: readonly Item[]): string[] {
  const slots = items.filter(({ SK }) => SK.startsWith(walletPrefix)).map(({ slot }) => Number(slot));
  const sorted = slots.toSorted((one, other) => one - other);
  return sorted.every((slot, index) => slot === index + 1)
    ? []
    : [`the wallets of ${userID} have the slots ${sorted.join(", ")}`];
}

function problemsOfOwners(userID: string, items: readonly Item[]): string[] {
  const strange = items.filter((item) =>
    [item.userID, item.UserID].some((owner) => (owner ?? userID) !== userID),
  );
  return strange.map(({ SK }) => `${SK} of ${userID} names another owner`);
}

function problemsOfCode(userID: string, items: readonly Item[], codes: readonly Item[]): string[] {
  const refID = items.find(({ SK }) => SK === "PROFILE")?.refID;
  const found = codes.map(({ PK }) => PK).join(" and ");
  return found === `REFCODE#${refID}`
    ? []
    : [`the referral code ${refID} of ${userID} is stored as ${found}`];
}

/** Checks that each referral is listed once and none still waits for its credit. */
function problemsOfReferrals(items: readonly Item[], users: readonly Expected[]): string[] {
  const listed = items
    .filter(({ SK }) => SK.startsWith(referralPrefix))
    .map(({ PK, SK }) => `${PK.slice(userPrefix.length)} referred ${SK.slice(SK.lastIndexOf("#") + 1)}`);
  const found = new Set(listed);
  const wanted = new Set(
    users.flatMap(({ id, referrerId }) => (referrerId === undefined ? [] : [`${referrerId} referred ${id}`])),
  );
  const ids = new Set(users.map(({ id }) => id));
  const waiting = items.filter(({ PK, userID }) => PK === "REFERRALS" && ids.has(String(userID)));
  return [
    ...(found.size < listed.length ? ["a referral is listed twice"] : []),
    ...[...wanted].filter((referral) => !found.has(referral)).map((referral) => `lost: ${referral}`),
    ...waiting.map(({ userID }) => `the referral of ${userID} still waits for its credit`),
    ...[...found]
      .filter((referral) => ids.has(referral.split(" ").at(-1) ?? "") && !wanted.has(referral))
      .map((referral) => `untrue: ${referral}`),
  ];
}

/** Reads a user's values that operators can change. */
export function valuesIn(items: readonly Item[], userID: string): ProfileValues {
  const profile = items.find(({ PK, SK }) => PK === `${userPrefix}${userID}` && SK === "PROFILE");
  const { tier, points, experience } = (profile ?? {}) as Omit<ProfileValues, "xp"> & {
    experience?: { total: number };
  };
  return {
    ...(tier && { tier }),
    ...(points !== undefined && { points }),
    ...(experience && { xp: experience.total }),
  };
}

const executionPrefixes = ["ORDER#", "POSITION#"];

/** Reads the versions of a user's orders and positions by id. */
export function executionsIn(items: readonly Item[], userID: string): Map<string, number> {
  const own = items.filter(({ PK }) => PK === `${tradesPrefix}${userID}`);
  return new Map(
    executionPrefixes.flatMap((prefix) =>
      own
        .filter(({ SK }) => SK.startsWith(prefix))
        .map(({ SK, version }): [string, number] => [SK.slice(prefix.length), Number(version)]),
    ),
  );
}
