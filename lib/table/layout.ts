/**
 * Layout of the table: one list of all partitions and of the items in them. Key builders, roles, filters of changes,
 * backups and docs/table.md are derived from it; descriptions.ts describes the purpose of each item. Items that are
 * read together are stored together, unless different functions write them, because rights are given by partition.
 */

/** Attribute with the time, in epoch seconds, after which DynamoDB deletes an item. */
export const timeToLive = "expiresAt";

export type ItemLayout = {
  /** Pattern of the sort key, with the names of its variable parts in braces. */
  key: string;
  /** Receivers of the item's changes: its user's connections, the subscribers of a channel, or mirrorPlans. */
  changesGoTo?: "its user" | "subscribers" | "mirrorPlans";
  /**
   * True if the item describes the present state of something, such as an open connection or an API key. Restoring an
   * old copy would be wrong.
   */
  isOfTheMoment?: true;
};

export type PartitionLayout = {
  /** Pattern of the partition key. Its first part names the partition. */
  key: string;
  owner: "user" | "service";
  /**
   * True if functions that decrypt private keys trust the partition's items. Only operators and a few functions may
   * write there.
   */
  isGuarded?: true;
  /** True if the partition's items are worth stealing. Only functions that need the items may read them. */
  isSecret?: true;
  /**
   * True if the absence of an item means something. A function that writes only such partitions cannot let items
   * expire.
   */
  neverExpires?: true;
  items: Readonly<Record<string, ItemLayout>>;
};

/** Partition in which earlier builds record stops of trading on all chains. No function may write there. */
export const earlierStops = "TRADING";

export const partitions = [
  {
    key: "USER#{userID}",
    owner: "user",
    items: {
      profile: { key: "PROFILE", changesGoTo: "mirrorPlans" },
      progress: { key: "PROGRESS", changesGoTo: "its user", isOfTheMoment: true },
      referral: { key: "PROFILE#REFERRAL#{newestFirst}#{referredId}" },
    },
  },
  {
    key: "SETTINGS#{userID}",
    owner: "user",
    items: { settings: { key: "SETTINGS#{chain}", changesGoTo: "its user" } },
  },
  {
    key: "PRESETS#{userID}",
    owner: "user",
    isGuarded: true,
    items: { preset: { key: "PRESET#{chain}" } },
  },
  {
    key: "WALLETS#{userID}",
    owner: "user",
    items: { wallet: { key: "WALLET#{network}#{address}", changesGoTo: "its user" } },
  },
  {
    key: "OWNERS#{network}#{address}",
    owner: "service",
    items: { walletOwner: { key: "OWNER#{userID}" } },
  },
  {
    key: "SEALED#{userID}",
    owner: "user",
    isSecret: true,
    items: { sealedKey: { key: "KEY#{network}#{address}" } },
  },
  {
    key: "USEDKEYS#{userID}",
    owner: "user",
    items: {
      usedKey: { key: "USEDKEY#{operation}#{key}" },
      automaticBuy: { key: "AUTO#{chain}#{token}" },
      restingTurn: { key: "TURN#{part}" },
    },
  },
  {
    key: "CONNECTIONS#{userID}",
    owner: "user",
    items: {
      connection: { key: "CONNECTION#{connectionId}", isOfTheMoment: true },
      connectionCount: { key: "CONNECTIONS", isOfTheMoment: true },
      deviceCount: { key: "DEVICES" },
    },
  },
  {
    key: "DEVICES#{userID}",
    owner: "user",
    isSecret: true,
    items: { device: { key: "DEVICE#{deviceId}", changesGoTo: "its user" } },
  },
  {
    key: "DEVICEKEYS#{userID}",
    owner: "user",
    isSecret: true,
    items: { deviceAddress: { key: "ADDRESS#{deviceId}" } },
  },
  {
    key: "PUSHKEY",
    owner: "service",
    items: { pushKey: { key: "PUBLIC" } },
  },
  {
    key: "USERKEY#{userID}",
    owner: "user",
    items: { userKey: { key: "USERKEY", isOfTheMoment: true } },
  },
  {
    key: "WALLETLOG#{userID}",
    owner: "user",
    items: { walletEvent: { key: "EVENT#{walletId}#{newestFirst}#{id}" } },
  },
  {
    key: "POLICY#{userID}",
    owner: "user",
    isGuarded: true,
    items: { policy: { key: "{chain}#{wallet}" } },
  },
  {
    key: "GUARDS#{userID}",
    owner: "user",
    items: {
      shownPolicy: { key: "POLICY#{chain}#{wallet}", changesGoTo: "its user", isOfTheMoment: true },
      endedLock: { key: "UNLOCKED", changesGoTo: "its user", isOfTheMoment: true },
    },
  },
  {
    key: "LOOSENINGS",
    owner: "service",
    items: { loosening: { key: "{due}#{userID}#{guard}", isOfTheMoment: true } },
  },
  {
    key: "EXPORT#{userID}",
    owner: "user",
    isGuarded: true,
    items: { exportRequest: { key: "EXPORT#{walletId}", isOfTheMoment: true } },
  },
  {
    key: "LOCK#{userID}",
    owner: "user",
    isGuarded: true,
    neverExpires: true,
    items: { exportLock: { key: "LOCK", changesGoTo: "its user" } },
  },
  {
    key: "UNLOCK#{userID}",
    owner: "user",
    isGuarded: true,
    items: { unlockRequest: { key: "REQUEST", isOfTheMoment: true } },
  },
  {
    key: "EXPORTED#{userID}",
    owner: "user",
    isGuarded: true,
    items: {
      announcedExport: { key: "ANNOUNCED#{walletId}", changesGoTo: "its user", isOfTheMoment: true },
      announcedUnlocking: { key: "UNLOCKING", changesGoTo: "its user", isOfTheMoment: true },
      announcedDay: { key: "DAY#{day}", isOfTheMoment: true },
      exportedKey: { key: "WALLETKEY#{walletId}" },
    },
  },
  {
    key: "TRADES#{userID}",
    owner: "user",
    items: {
      order: { key: "ORDER#{orderId}", changesGoTo: "its user" },
      position: { key: "POSITION#{positionId}", changesGoTo: "its user" },
      listedOrder: { key: "ORDERAT#{newestFirst}#{orderId}" },
      listedPosition: { key: "POSITIONAT#{newestFirst}#{positionId}" },
      trade: { key: "TRADE#{orderId}" },
      book: { key: "BOOK#{chain}#{wallet}#{token}" },
      openExecution: { key: "OPEN#{chain}#{token}#{kind}#{id}" },
    },
  },
  {
    key: "RESTING#{userID}",
    owner: "user",
    isGuarded: true,
    items: {
      resting: {
        key: "RESTING#{chain}#{wallet}#{token}#{orderId}",
        changesGoTo: "its user",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "TRIGGERS#{chain}#{part}",
    owner: "service",
    isGuarded: true,
    items: { trigger: { key: "TRIGGER#{token}#{orderId}", isOfTheMoment: true } },
  },
  {
    key: "PROGRAMKEYS#{userID}",
    owner: "user",
    isGuarded: true,
    items: {
      programKey: { key: "PROGRAMKEY#{keyId}", changesGoTo: "its user", isOfTheMoment: true },
      programKeyTurn: { key: "TURN", isOfTheMoment: true },
    },
  },
  {
    key: "USEDTOKENS#{userID}",
    owner: "user",
    items: { usedToken: { key: "USEDTOKEN#{keyId}#{tokenId}", isOfTheMoment: true } },
  },
  {
    key: "LANES#{chain}#{shard}",
    owner: "service",
    items: {
      lane: { key: "LANE#{wallet}", isOfTheMoment: true },
      laneShards: { key: "SHARDS", isOfTheMoment: true },
    },
  },
  {
    key: "HELD#{chain}#{minute}",
    owner: "service",
    items: { heldToken: { key: "HELD#{hash}" } },
  },
  {
    key: "LANE#{chain}#{wallet}",
    owner: "service",
    items: {
      job: { key: "JOB#{orderId}", isOfTheMoment: true },
      lanePlace: { key: "PLACE", isOfTheMoment: true },
      slot: { key: "SLOT#{nonce}", isOfTheMoment: true },
    },
  },
  {
    key: "SIGNED#{orderIdOrUserID}",
    owner: "service",
    isGuarded: true,
    items: {
      ledger: { key: "LEDGER", isOfTheMoment: true },
      signedDay: { key: "DAY#{chain}#{wallet}#{day}", isOfTheMoment: true },
      keyDay: { key: "KEYDAY#{chain}#{keyId}#{day}", isOfTheMoment: true },
      tally: { key: "TALLY", isOfTheMoment: true },
    },
  },
  {
    key: "ENDED#{orderId}",
    owner: "service",
    isGuarded: true,
    items: { ended: { key: "DEAD", isOfTheMoment: true } },
  },
  {
    key: "BYTES#{chain}#{wallet}",
    owner: "service",
    isSecret: true,
    items: { signedBytes: { key: "BYTES#{hash}", isOfTheMoment: true } },
  },
  {
    key: "CANCELLED#{userID}",
    owner: "user",
    isGuarded: true,
    items: {
      cancellation: { key: "CANCELLATION#{orderId}", isOfTheMoment: true },
      cutoff: { key: "ALL#{part}", isOfTheMoment: true },
      walletCutoff: { key: "{chain}#{wallet}", isOfTheMoment: true },
    },
  },
  {
    key: "TRADING#{chain}",
    owner: "service",
    isGuarded: true,
    items: { tradingStop: { key: "STOP" } },
  },
  {
    key: "WATCHERS",
    owner: "service",
    items: { watcher: { key: "WATCHER#{chain}", isOfTheMoment: true } },
  },
  {
    key: "CATALOGUE",
    owner: "service",
    items: { catalogue: { key: "REWARDS" } },
  },
  {
    key: "REWARD#{rewardId}",
    owner: "service",
    items: { stock: { key: "STOCK" } },
  },
  {
    key: "REDEMPTIONS#{userID}",
    owner: "user",
    items: { redemption: { key: "REDEMPTION#{newestFirst}#{redemptionId}", changesGoTo: "its user" } },
  },
  {
    key: "REDEMPTION#{redemptionId}",
    owner: "service",
    items: { redemptionPlace: { key: "PLACE" } },
  },
  {
    key: "POINTS#{userID}",
    owner: "user",
    items: { pointsLine: { key: "LINE#{number}" } },
  },
  {
    key: "EARNED#{shard}",
    owner: "service",
    items: { earned: { key: "{time}#{id}", isOfTheMoment: true } },
  },
  {
    key: "LEADERBOARD#{window}",
    owner: "service",
    items: { standing: { key: "{start}#{mostFirst}#{userID}", isOfTheMoment: true } },
  },
  {
    key: "REFCODE#{code}",
    owner: "service",
    items: { referralCode: { key: "REFCODE" } },
  },
  {
    key: "REFERRALS",
    owner: "service",
    items: { pendingReferral: { key: "{joinedAt}#{userID}" } },
  },
  {
    key: "RETIREDKEYS",
    owner: "service",
    items: { retiredKey: { key: "{due}#{name}", isOfTheMoment: true } },
  },
  {
    key: "FALLBACKKEYS",
    owner: "service",
    items: { fallbackKeys: { key: "USABLE", isOfTheMoment: true } },
  },
  {
    key: "CHANNEL#{channel}#{shard}",
    owner: "service",
    items: {
      subscriber: { key: "CONNECTION#{connectionId}", isOfTheMoment: true },
      channelShards: { key: "SHARDS", isOfTheMoment: true },
    },
  },
  {
    key: "MARKETNEWS#{shard}",
    owner: "service",
    items: { marketNews: { key: "NEWS#{time}#{id}", isOfTheMoment: true } },
  },
  {
    key: "MARKETREADER",
    owner: "service",
    items: {
      marketReader: { key: "READER", isOfTheMoment: true },
      chainMarketReader: { key: "CHAIN#{chain}", isOfTheMoment: true },
    },
  },
  {
    key: "MARKETHELD",
    owner: "service",
    items: { heldTokens: { key: "PART#{reader}#{part}", isOfTheMoment: true } },
  },
  {
    key: "MARKETS#{chain}#{shard}",
    owner: "service",
    items: { market: { key: "TOKEN#{token}", isOfTheMoment: true } },
  },
  {
    key: "MARKETINDEX#{chain}",
    owner: "service",
    items: { marketIndex: { key: "INDEX", isOfTheMoment: true } },
  },
  {
    key: "NEWTOKENS#{chain}",
    owner: "service",
    items: {
      newTokens: { key: "LIST", isOfTheMoment: true },
      newTokensTurn: { key: "TURN", isOfTheMoment: true },
    },
  },
  {
    key: "MARKET#{chain}#{token}",
    owner: "service",
    items: {
      minutes: { key: "MINUTES#{start}", isOfTheMoment: true },
      hours: { key: "HOURS#{start}", isOfTheMoment: true },
      days: { key: "DAYS#{start}", isOfTheMoment: true },
    },
  },
  {
    key: "MARKETLOOKS#{userID}",
    owner: "user",
    items: {
      marketLooks: { key: "MINUTE#{minute}", isOfTheMoment: true },
      marketHistories: { key: "DAY#{day}", isOfTheMoment: true },
    },
  },
  {
    key: "PRICES",
    owner: "service",
    items: { prices: { key: "LATEST", changesGoTo: "subscribers", isOfTheMoment: true } },
  },
] as const satisfies readonly PartitionLayout[];

export type Partition = (typeof partitions)[number];

type NameOf<Pattern extends string> = Pattern extends `${infer Name}#${string}` ? Name : Pattern;

export type PartitionName = NameOf<Partition["key"]>;
/** A guarded or a secret partition. Functions may read only those that their rows name. */
export type ProtectedPartition = NameOf<Extract<Partition, { isGuarded: true } | { isSecret: true }>["key"]>;

/** Returns the name of a partition, which is the first part of its keys. */
export const partitionNameOf = (key: string) => key.split("#", 1)[0] as PartitionName;
