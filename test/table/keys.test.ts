import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tradingChains } from "../../lib/core/chain-facts.ts";
import { chains, networks } from "../../lib/core/network.ts";
import { dayOf } from "../../lib/core/time.ts";
import * as deviceKeys from "../../lib/devices/item-keys.ts";
import * as marketKeys from "../../lib/markets/items/keys.ts";
import * as planKeys from "../../lib/plans/item-keys.ts";
import { isPrices, pricesKey } from "../../lib/prices/item-keys.ts";
import * as realtimeKeys from "../../lib/realtime/item-keys.ts";
import * as rewardKeys from "../../lib/rewards/item-keys.ts";
import {
  everythingOf,
  isOfTheMoment,
  itemAt,
  type Key,
  type KeyRange,
  sortKeysSentTo,
} from "../../lib/table/keys.ts";
import { partitions } from "../../lib/table/layout.ts";
import {
  isSealedKey,
  isWallet,
  sealedKeyKey,
  walletKey,
  walletOwnerKey,
  walletsOf,
} from "../../lib/table/wallet-keys.ts";
import * as tradingKeys from "../../lib/trading/items/keys.ts";
import { windowNames } from "../../lib/users/experience.ts";
import * as userKeys from "../../lib/users/item-keys.ts";
import * as walletKeys from "../../lib/wallets/item-keys.ts";

/**
 * Names that the service does not choose: subjects of tokens, ids of execution engines and of API Gateway. Some look
 * like the service's own keys.
 */
const name = fc.oneof(
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
  }),
  fc.constantFrom("LATEST", "PROFILE", "SETTINGS#eth", "ORDER#1", "CONNECTION#c", "REWARDS", "#", "USER#ann"),
);
const date = fc.date({ min: new Date(0), max: new Date("2200-01-01"), noInvalidDate: true });

const market = fc.tuple(fc.constantFrom(...tradingChains), name).map(([chain, token]) => ({ chain, token }));

const lane = fc.tuple(fc.constantFrom(...networks), name).map(([chain, wallet]) => ({ chain, wallet }));

/** Generates the keys of every kind of item. */
const keyOfKind = {
  profile: name.map(userKeys.profileKey),
  progress: name.map(userKeys.progressKey),
  settings: fc.tuple(name, fc.constantFrom(...chains)).map((of) => userKeys.settingsKey(...of)),
  wallet: fc.tuple(name, fc.constantFrom(...networks), name).map((of) => walletKey(...of)),
  "wallet owner": fc.tuple(name, fc.constantFrom(...networks), name).map((of) => walletOwnerKey(...of)),
  "sealed key": fc.tuple(name, fc.constantFrom(...networks), name).map((of) => sealedKeyKey(...of)),
  "wallet event": fc.tuple(name, name, date, name).map((of) => walletKeys.walletEventKey(...of)),
  referral: fc.tuple(name, date, name).map((of) => userKeys.referralKey(...of)),
  "pending referral": fc
    .tuple(date, name)
    .map(([at, of]) => userKeys.pendingReferralKey(at.toISOString(), of)),
  "referral code": name.map(userKeys.referralCodeKey),
  catalogue: fc.constant(rewardKeys.catalogueKey),
  "fallback keys": fc.constant(planKeys.fallbackKeysKey),
  stock: name.map(rewardKeys.stockKey),
  redemption: fc.tuple(name, date, name).map((of) => rewardKeys.redemptionKey(...of)),
  "place of a redemption": name.map(rewardKeys.redemptionPlaceKey),
  "line of points": fc.tuple(name, fc.nat()).map((of) => rewardKeys.pointsLineKey(...of)),
  earned: fc.tuple(name, date, name).map(([of, at, id]) => rewardKeys.earnedKey(of, at.toISOString(), id)),
  standing: fc
    .tuple(fc.constantFrom(...windowNames), date, fc.nat(), name)
    .map(([window, start, xp, of]) => rewardKeys.standingKey(window, dayOf(start), xp, of)),
  order: fc.tuple(name, name).map(([userID, id]) => tradingKeys.executionKey(userID, "order", id)),
  position: fc.tuple(name, name).map(([userID, id]) => tradingKeys.executionKey(userID, "position", id)),
  "listed order": fc
    .tuple(name, date, name)
    .map(([of, at, id]) => tradingKeys.listedExecutionKey(of, "order", at, id)),
  "listed position": fc
    .tuple(name, date, name)
    .map(([of, at, id]) => tradingKeys.listedExecutionKey(of, "position", at, id)),
  "open execution": fc
    .tuple(lane, name, name, name)
    .map(([{ chain }, userID, token, id]) =>
      tradingKeys.openExecutionKey({ userID, chain, token, kind: "order", id }),
    ),
  connection: fc.tuple(name, name).map((of) => realtimeKeys.connectionKey(...of)),
  "connection count": name.map(realtimeKeys.connectionCountKey),
  "device count": name.map(deviceKeys.deviceCountKey),
  device: fc.tuple(name, name).map((of) => deviceKeys.deviceKey(...of)),
  "device address": fc.tuple(name, name).map((of) => deviceKeys.deviceAddressKey(...of)),
  "push key": fc.constant(deviceKeys.pushKeyKey),
  subscriber: fc.tuple(fc.nat(), name).map(([shard, id]) => realtimeKeys.subscriberKey("prices", shard, id)),
  "channel shards": fc.constant(realtimeKeys.channelShardsKey),
  "user key record": name.map(planKeys.userKeyRecordKey),
  "retired key": fc.tuple(date, name).map((of) => planKeys.retiredKeyKey(...of)),
  prices: fc.constant(pricesKey),
  trade: fc.tuple(name, name).map((of) => tradingKeys.tradeKey(...of)),
  book: fc
    .tuple(lane, name, name)
    .map(([of, userID, token]) => tradingKeys.bookKey({ ...of, userID, token })),
  resting: fc
    .tuple(lane, name, name, name)
    .map(([of, userID, token, orderId]) => tradingKeys.restingKey({ ...of, userID, token, orderId })),
  trigger: fc
    .tuple(lane, name, name)
    .map(([{ chain }, token, orderId]) => tradingKeys.triggerKey({ chain, token, orderId })),
  "held token": fc
    .tuple(lane, name, name)
    .map(([of, userID, token]) => tradingKeys.heldTokenKey({ ...of, userID, token })),
  "used key": fc.tuple(name, name).map(([userID, key]) => tradingKeys.usedKeyKey(userID, "placeOrder", key)),
  "automatic buy": fc
    .tuple(lane, name, name)
    .map(([{ chain }, userID, token]) => tradingKeys.automaticBuyKey({ userID, chain, token })),
  "turn of resting orders": fc
    .tuple(name, fc.nat())
    .map(([userID, part]) => tradingKeys.restingTurnKey({ userID, part })),
  lane: fc.tuple(lane, fc.nat()).map((of) => tradingKeys.laneKey(...of)),
  "shards of lanes": lane.map(({ chain }) => tradingKeys.laneShardsKey(chain)),
  "place of a lane": lane.map(tradingKeys.lanePlaceKey),
  job: fc.tuple(lane, name).map((of) => tradingKeys.jobKey(...of)),
  slot: fc.tuple(lane, fc.nat()).map((of) => tradingKeys.slotKey(...of)),
  ledger: name.map(tradingKeys.ledgerKey),
  tally: name.map(tradingKeys.tallyKey),
  ended: name.map(tradingKeys.endedKey),
  "day of buys": fc
    .tuple(lane, name, name)
    .map(([of, userID, day]) => tradingKeys.dayKey({ ...of, userID, day })),
  "day of a program key": fc
    .tuple(lane, name, name, name)
    .map(([{ chain }, userID, keyId, day]) => tradingKeys.keyDayKey({ chain, userID, keyId, day })),
  "program key": fc.tuple(name, name).map(([userID, keyId]) => tradingKeys.programKeyKey({ userID, keyId })),
  "turn of program keys": name.map(tradingKeys.programKeyTurnKey),
  "used token": fc
    .tuple(name, name, name)
    .map(([userID, keyId, tokenId]) => tradingKeys.usedTokenKey({ userID, keyId }, tokenId)),
  policy: fc.tuple(lane, name).map(([of, userID]) => tradingKeys.policyKey({ ...of, userID })),
  preset: fc.tuple(lane, name).map(([{ chain }, userID]) => tradingKeys.presetKey({ userID, chain })),
  "shown policy": fc.tuple(lane, name).map(([of, userID]) => walletKeys.shownPolicyKey({ ...of, userID })),
  "ended lock": name.map(walletKeys.endedLockKey),
  loosening: fc
    .tuple(date, name, name)
    .map(([due, userID, guard]) => walletKeys.looseningKey(due.toISOString(), userID, guard)),
  "requested export": fc.tuple(name, name).map((of) => walletKeys.exportKey(...of)),
  "day of announcements": fc.tuple(name, name).map((of) => walletKeys.announcedDayKey(...of)),
  "exported key": fc.tuple(name, name).map((of) => walletKeys.exportedKeyKey(...of)),
  "announced export": fc.tuple(name, name).map((of) => walletKeys.announcedExportKey(...of)),
  "lock of exports": name.map(walletKeys.lockKey),
  "requested unlocking": name.map(walletKeys.unlockRequestKey),
  "announced unlocking": name.map(walletKeys.unlockingKey),
  "signed bytes": fc.tuple(lane, name).map(([of, hash]) => tradingKeys.signedBytesKey({ ...of, hash })),
  cancellation: fc
    .tuple(name, name)
    .map(([userID, orderId]) => tradingKeys.cancellationKey({ userID, orderId })),
  cutoff: fc.tuple(lane, name).map(([of, userID]) => tradingKeys.cutoffKey({ userID, lane: of })),
  "cutoff of a wallet": fc.tuple(lane, name).map(([of, userID]) => tradingKeys.cutoffKey({ ...of, userID })),
  "stop of trading": lane.map(({ chain }) => tradingKeys.tradingStopKey(chain)),
  watcher: lane.map(({ chain }) => tradingKeys.watcherKey(chain)),
  "news of markets": fc
    .tuple(fc.nat(255), date, name)
    .map(([shard, at, of]) => marketKeys.marketNewsKey(shard, at.toISOString(), of)),
  "reader of markets": fc.constant(tradingKeys.marketReaderKey),
  "reader of a chain's markets": lane.map(({ chain }) => tradingKeys.chainMarketReaderKey(chain)),
  "held tokens": fc.nat(19).map((part) => marketKeys.heldTokensKey("base", part)),
  market: market.map(marketKeys.marketKey),
  "index of markets": market.map(({ chain }) => marketKeys.marketIndexKey(chain)),
  "new tokens": market.map(({ chain }) => marketKeys.newTokensKey(chain)),
  "turn of new tokens": market.map(({ chain }) => marketKeys.newTokensTurnKey(chain)),
  minutes: fc.tuple(market, fc.nat()).map((of) => marketKeys.chunkKey("minutes", ...of)),
  hours: fc.tuple(market, fc.nat()).map((of) => marketKeys.chunkKey("hours", ...of)),
  days: fc.tuple(market, fc.nat()).map((of) => marketKeys.chunkKey("days", ...of)),
  "looks at markets": fc.tuple(name, fc.nat()).map((of) => marketKeys.marketLooksKey(...of)),
  "histories of tokens": fc.tuple(name, fc.nat()).map((of) => marketKeys.marketHistoriesKey(...of)),
};

type Kind = keyof typeof keyOfKind;
const kinds = Object.keys(keyOfKind) as Kind[];

const kindsOf = (key: Key) => [
  ...(isPrices(key) ? ["prices"] : []),
  ...(realtimeKeys.isConnection(key) ? ["connection"] : []),
  ...(deviceKeys.isDeviceCount(key) ? ["device count"] : []),
  ...(deviceKeys.isDevice(key) ? ["device"] : []),
  ...(userKeys.isProfile(key) ? ["profile"] : []),
  ...(userKeys.isProgress(key) ? ["progress"] : []),
  ...(isWallet(key) ? ["wallet"] : []),
  ...(isSealedKey(key) ? ["sealed key"] : []),
  ...(userKeys.isReferral(key) ? ["referral"] : []),
  ...(rewardKeys.isRedemption(key) ? ["redemption"] : []),
  ...(walletKeys.isAnnouncedExport(key) ? ["announced export"] : []),
  ...(walletKeys.isUnlocking(key) ? ["announced unlocking"] : []),
  ...(walletKeys.isLock(key) ? ["lock of exports"] : []),
  ...(walletKeys.isShownPolicy(key) ? ["shown policy"] : []),
  ...(walletKeys.isEndedLock(key) ? ["ended lock"] : []),
  ...(userKeys.chainOf(key) === undefined ? [] : ["settings"]),
  ...(tradingKeys.isResting(key) ? ["resting"] : []),
  ...(tradingKeys.isProgramKey(key) ? ["program key"] : []),
  ...(tradingKeys.executionKindOf(key) === undefined ? [] : [tradingKeys.executionKindOf(key)]),
];

const recognized: readonly Kind[] = [
  "prices",
  "profile",
  "connection",
  "device count",
  "device",
  "wallet",
  "sealed key",
  "referral",
  "redemption",
  "progress",
  "announced export",
  "announced unlocking",
  "lock of exports",
  "shown policy",
  "ended lock",
  "settings",
  "order",
  "position",
  "resting",
  "program key",
];
const published: readonly Kind[] = [
  "progress",
  "resting",
  "program key",
  ...(["prices", "settings", "wallet", "order", "position", "redemption", "announced export"] as const),
  "device",
  ...(["announced unlocking", "lock of exports", "shown policy", "ended lock"] as const),
];

const sortKeysSent = sortKeysSentTo("its user", "subscribers");

describe("a key", () => {
  it.each(kinds)("recognizes the key of a %s only as such, whatever names the key contains", (kind) => {
    fc.assert(
      fc.property<[Key]>(keyOfKind[kind], (key) => {
        expect(kindsOf(key)).toEqual(recognized.includes(kind) ? [kind] : []);
        expect(sortKeysSent.filter((prefix) => key.SK.startsWith(prefix))).toHaveLength(
          published.includes(kind) ? 1 : 0,
        );
      }),
    );
  });

  it("makes different keys for each kind and each user", () => {
    const named = kinds.map((kind) => keyOfKind[kind].map((key) => [kind, key] as const));
    fc.assert(
      fc.property(fc.oneof(...named), fc.oneof(...named), ([one, first], [other, second]) => {
        if (one !== other) expect(first).not.toEqual(second);
      }),
    );
    const executionOf = (userID: string, id: string) => tradingKeys.executionKey(userID, "order", id);
    fc.assert(
      fc.property(name, name, name, name, (user, id, otherUser, otherId) => {
        const same = user === otherUser && id === otherId;
        expect(
          JSON.stringify(executionOf(user, id)) === JSON.stringify(executionOf(otherUser, otherId)),
        ).toBe(same);
      }),
    );
  });
});

describe("the layout", () => {
  it("lists exactly the kinds of items that have a key", () => {
    const found = kinds.map((kind) => fc.sample<Key>(keyOfKind[kind], { numRuns: 1, seed: 1 })[0] as Key);
    const named = partitions.flatMap(({ items }) => Object.keys(items));
    expect(found.map(itemAt).toSorted()).toEqual(named.toSorted());
  });
});

describe("isOfTheMoment", () => {
  const ofTheMoment: readonly Kind[] = [
    "connection",
    "connection count",
    "subscriber",
    "channel shards",
    "held tokens",
    "user key record",
    "fallback keys",
    "retired key",
    "prices",
    "earned",
    "resting",
    "trigger",
    "lane",
    "shards of lanes",
    "place of a lane",
    "job",
    "slot",
    "ledger",
    "tally",
    "ended",
    "signed bytes",
    "cancellation",
    "cutoff",
    "cutoff of a wallet",
    "watcher",
    "day of buys",
    "day of a program key",
    "program key",
    "turn of program keys",
    "used token",
    "requested export",
    "day of announcements",
    "announced export",
    "announced unlocking",
    "shown policy",
    "ended lock",
    "loosening",
    "requested unlocking",
    "standing",
    "progress",
    "news of markets",
    "reader of markets",
    "reader of a chain's markets",
    "market",
    "index of markets",
    "new tokens",
    "turn of new tokens",
    "minutes",
    "hours",
    "days",
    "looks at markets",
    "histories of tokens",
  ];

  it.each(kinds)("knows whether an old copy of a %s would be wrong", (kind) => {
    fc.assert(
      fc.property<[Key]>(keyOfKind[kind], (key) => {
        expect(isOfTheMoment(key)).toBe(ofTheMoment.includes(kind));
      }),
    );
  });
});

const wallet = { chain: "eth", wallet: "0xf39F" } as const;
const coin = marketKeys.coinOf("eth");

describe("everythingOf", () => {
  it("covers the user's partitions, and nobody else's", () => {
    const rangesOf = (userID: string) => everythingOf(userID).map(({ PK }) => PK);
    const now = new Date();
    const own = [
      userKeys.profileKey,
      (of: string) => userKeys.settingsKey(of, "eth"),
      (of: string) => tradingKeys.presetKey({ userID: of, chain: "eth" }),
      (of: string) => walletKey(of, "eth", "0x1"),
      (of: string) => sealedKeyKey(of, "eth", "0x1"),
      (of: string) => tradingKeys.usedKeyKey(of, "placeOrder", "k"),
      realtimeKeys.connectionCountKey,
      (of: string) => deviceKeys.deviceKey(of, "d"),
      (of: string) => deviceKeys.deviceAddressKey(of, "d"),
      planKeys.userKeyRecordKey,
      (of: string) => walletKeys.walletEventKey(of, "w", now, "e"),
      (of: string) => tradingKeys.policyKey({ ...wallet, userID: of }),
      walletKeys.endedLockKey,
      (of: string) => walletKeys.exportKey(of, "w"),
      walletKeys.lockKey,
      walletKeys.unlockRequestKey,
      (of: string) => walletKeys.announcedExportKey(of, "w"),
      (of: string) => tradingKeys.tradeKey(of, "o"),
      (of: string) => tradingKeys.restingKey({ ...wallet, userID: of, token: "t", orderId: "o" }),
      (of: string) => tradingKeys.programKeyKey({ userID: of, keyId: "k" }),
      (of: string) => tradingKeys.usedTokenKey({ userID: of, keyId: "k" }, "t"),
      (of: string) => tradingKeys.cancellationKey({ userID: of, orderId: "o" }),
      (of: string) => rewardKeys.redemptionKey(of, now, "r"),
      (of: string) => rewardKeys.pointsLineKey(of, 1),
      (of: string) => marketKeys.marketLooksKey(of, 1),
    ];
    fc.assert(
      fc.property(name, name, (userID, other) => {
        for (const keyOf of own) expect(rangesOf(userID).includes(keyOf(other).PK)).toBe(userID === other);
      }),
    );
    expect(rangesOf("ann")).toEqual(own.map((keyOf) => keyOf("ann").PK));
  });
});

describe("a key range", () => {
  const within = ({ PK, from, to }: KeyRange, key: Key) =>
    key.PK === PK &&
    Buffer.compare(Buffer.from(key.SK), Buffer.from(from)) >= 0 &&
    Buffer.compare(Buffer.from(key.SK), Buffer.from(to)) <= 0;

  it.each<[string, KeyRange, Kind]>([
    ["a user's orders", tradingKeys.executionsOf("ann", "order"), "order"],
    ["a user's positions", tradingKeys.executionsOf("ann", "position"), "position"],
    ["a user's connections", realtimeKeys.connectionsOf("ann"), "connection"],
    ["a user's wallets", walletsOf("ann"), "wallet"],
    ["a lane's jobs", tradingKeys.jobsOf(wallet), "job"],
    ["a lane's slots", tradingKeys.slotsInLane(wallet), "slot"],
    ["the subscribers in a shard", realtimeKeys.subscribersOf("prices", 1), "subscriber"],
    [
      "the minutes of a market",
      marketKeys.chunksWithin("minutes", coin, { from: 0, to: 2 ** 31 }),
      "minutes",
    ],
    ["the markets in a shard", marketKeys.marketsIn("eth", 1), "market"],
    ["news of markets", marketKeys.marketNewsSince(0, new Date(0).toISOString()), "news of markets"],
  ])("limits a key range to %s", (_, range, kind) => {
    const any = kinds.map((kind) => keyOfKind[kind].map((key) => [kind, key] as const));
    const inPartition = ([of, key]: readonly [Kind, Key]) => [of, { ...key, PK: range.PK }] as const;
    fc.assert(
      fc.property(fc.oneof(...any).map(inPartition), ([of, key]) => {
        // Subscribers and connections have equal sort keys in different partitions.
        const alike = of.replace("subscriber", "connection") === kind.replace("subscriber", "connection");
        expect(within(range, key)).toBe(alike);
        expect(within(range, { ...key, PK: `${range.PK}x` })).toBe(false);
      }),
    );
  });
});
