/**
 * The layout of the table: one list of all partitions and of the items in them. Key builders, roles, filters of changes, backups
 * and docs/table.md derive from it. Items that are read together are stored together, unless different functions write
 * them: rights are given by partition.
 */

/** The attribute with the time, in epoch seconds, after which DynamoDB deletes an item. */
export const timeToLive = "expiresAt";

export type ItemLayout = {
  /** The pattern of the sort key, with the names of its varying parts in braces. */
  key: string;
  holds: string;
  /** The receivers of the item's changes: its user's connections, the subscribers of a channel, or mirrorPlans. */
  changesGoTo?: "its user" | "subscribers" | "mirrorPlans";
  /**
   * True if the item describes this moment, such as an open connection or an API key. Restoring an old copy would be
   * wrong.
   */
  isOfTheMoment?: true;
};

export type PartitionLayout = {
  /** The pattern of the partition key. Its first part names the partition. */
  key: string;
  owner: "user" | "service";
  /** True if functions that decrypt wallets trust its items. Only the functions that must, and operators, write there. */
  isGuarded?: true;
  /** True if its items are worth stealing. Only functions that need them read them. */
  isSecret?: true;
  /** True if the lack of an item means something. A function that writes only such partitions cannot let items expire. */
  neverExpires?: true;
  /** The reason for a partition of its own, or a warning. */
  note?: string;
  items: Readonly<Record<string, ItemLayout>>;
};

export const partitions = [
  {
    key: "USER#{userID}",
    owner: "user",
    items: {
      profile: { key: "PROFILE", holds: "the profile", changesGoTo: "mirrorPlans" },
      referral: {
        key: "PROFILE#REFERRAL#{newestFirst}#{referredId}",
        holds: "a user who was referred by this one",
      },
    },
  },
  {
    key: "SETTINGS#{userID}",
    owner: "user",
    note: "Partitions are small because rights are given by partition: few functions may change what an order depends on.",
    items: {
      settings: {
        key: "SETTINGS#{chain}",
        holds: "the trading settings of a chain",
        changesGoTo: "its user",
      },
    },
  },
  {
    key: "WALLETS#{userID}",
    owner: "user",
    items: {
      wallet: {
        key: "WALLET#{network}#{address}",
        holds: "a wallet; the key itself makes an address unique",
        changesGoTo: "its user",
      },
    },
  },
  {
    key: "SEALED#{userID}",
    owner: "user",
    isSecret: true,
    note: "A key is written and removed together with its wallet, in the same transactions and by the same time to live.",
    items: {
      sealedKey: { key: "KEY#{network}#{address}", holds: "the encrypted private key of a wallet" },
    },
  },
  {
    key: "USEDKEYS#{userID}",
    owner: "user",
    note: "Nothing deletes a used key: a repeated request would then take effect a second time.",
    items: {
      usedKey: { key: "USEDKEY#{operation}#{key}", holds: "an idempotency key that was used" },
    },
  },
  {
    key: "CONNECTIONS#{userID}",
    owner: "user",
    items: {
      connection: {
        key: "CONNECTION#{connectionId}",
        holds: "an open connection, with its channels",
        isOfTheMoment: true,
      },
      connectionCount: {
        key: "CONNECTIONS",
        holds: "the connections that count towards the user's limit",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "USERKEY#{userID}",
    owner: "user",
    items: {
      userKey: { key: "USERKEY", holds: "the record of the user's API key", isOfTheMoment: true },
    },
  },
  {
    key: "WALLETLOG#{userID}",
    owner: "user",
    items: {
      walletEvent: {
        key: "EVENT#{walletId}#{newestFirst}#{id}",
        holds: "an event of a wallet, kept for good",
      },
    },
  },
  {
    key: "POLICY#{userID}",
    owner: "user",
    isGuarded: true,
    note: "Policies are keyed by address, so that they outlive the wallet.",
    items: { policy: { key: "{chain}#{wallet}", holds: "the limits on a wallet's buys" } },
  },
  {
    key: "EXPORT#{userID}",
    owner: "user",
    isGuarded: true,
    items: {
      exportRequest: {
        key: "EXPORT#{walletId}",
        holds: "a requested export of a wallet",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "LOCK#{userID}",
    owner: "user",
    isGuarded: true,
    neverExpires: true,
    note: "Any item locks, even one that cannot be read. Only sealExport can end a lock, by an item of its own.",
    items: {
      exportLock: { key: "LOCK", holds: "the user's lock of exports", changesGoTo: "its user" },
    },
  },
  {
    key: "UNLOCK#{userID}",
    owner: "user",
    isGuarded: true,
    note: "Apart from locks, so that the function that locks cannot request an unlocking.",
    items: {
      unlockRequest: {
        key: "REQUEST",
        holds: "the id of the lock that the user wants to end",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "EXPORTED#{userID}",
    owner: "user",
    isGuarded: true,
    items: {
      announcedExport: {
        key: "ANNOUNCED#{walletId}",
        holds: "the request as sealExport saw and announced it",
        changesGoTo: "its user",
        isOfTheMoment: true,
      },
      announcedUnlocking: {
        key: "UNLOCKING",
        holds: "the end of a lock as sealExport saw and announced it",
        changesGoTo: "its user",
        isOfTheMoment: true,
      },
      announcedDay: {
        key: "DAY#{day}",
        holds: "the number of exports that were announced to the user on a day",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "TRADES#{userID}",
    owner: "user",
    note:
      "Orders and positions are deleted a week after their end. Lists keep those that were placed here. Data that clients may " +
      "not see, such as signed transactions, is in `TRADE#` and in the lane. Each step of an order writes all of these items in " +
      "one transaction.",
    items: {
      order: { key: "ORDER#{orderId}", holds: "an order", changesGoTo: "its user" },
      position: { key: "POSITION#{positionId}", holds: "a position", changesGoTo: "its user" },
      listedOrder: { key: "ORDERAT#{newestFirst}#{orderId}", holds: "the order again, for lists" },
      listedPosition: {
        key: "POSITIONAT#{newestFirst}#{positionId}",
        holds: "the position again, for lists",
      },
      trade: {
        key: "TRADE#{orderId}",
        holds: "an order placed here, with the data that clients may not see",
      },
      book: {
        key: "BOOK#{chain}#{wallet}#{token}",
        holds: "the fills from which a token's positions are computed",
      },
    },
  },
  {
    key: "LANES#{chain}#{shard}",
    owner: "service",
    note: "Each step of an order checks its lane, so the lanes of a chain are spread over several partitions.",
    items: {
      lane: { key: "LANE#{wallet}", holds: "a wallet's lane, in its shard", isOfTheMoment: true },
    },
  },
  {
    key: "LANE#{chain}#{wallet}",
    owner: "service",
    items: {
      job: { key: "JOB#{orderId}", holds: "an order of the lane that is not settled", isOfTheMoment: true },
      slot: {
        key: "SLOT#{nonce}",
        holds: "a nonce of the wallet, with the transactions signed for it",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "SIGNED#{orderIdOrUserID}",
    owner: "service",
    isGuarded: true,
    note: "Ledgers are kept for good: without its ledger, an order that turns up again could be signed a second time.",
    items: {
      ledger: {
        key: "LEDGER",
        holds: "the signer's record of the transactions that it signed for an order",
        isOfTheMoment: true,
      },
      signedDay: {
        key: "DAY#{chain}#{wallet}#{day}",
        holds: "the signer's count of a wallet's buys and network fees on a day",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "BYTES#{chain}#{wallet}",
    owner: "service",
    isSecret: true,
    note: "Anybody who has the bytes of a transaction can send them, so they are apart from slots.",
    items: {
      signedBytes: {
        key: "BYTES#{hash}",
        holds: "the bytes of a signed transaction, kept for a week",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "CANCELLED#{userID}",
    owner: "user",
    isGuarded: true,
    note: "A cancellation is recorded before the order is read, so nothing in orders or lanes can prevent that.",
    items: {
      cancellation: {
        key: "CANCELLATION#{orderId}",
        holds: "the user has cancelled the order with that id",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "TRADING#{chain}",
    owner: "service",
    isGuarded: true,
    note: "Each order reads it five times, so the chains do not share a partition.",
    items: { tradingStop: { key: "STOP", holds: "an operator has stopped trading on the chain" } },
  },
  {
    key: "WATCHERS",
    owner: "service",
    items: {
      watcher: {
        key: "WATCHER#{chain}",
        holds: "the lease of the run that reads the chain",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "CATALOGUE",
    owner: "service",
    items: { catalogue: { key: "REWARDS", holds: "the rewards: one item, so that they change as a whole" } },
  },
  {
    key: "REWARD#{rewardId}",
    owner: "service",
    note:
      "The stock is not in the catalogue: each sale would write up to 400 KB, and replacing the catalogue would restore the " +
      "stock that was sold meanwhile.",
    items: { stock: { key: "STOCK", holds: "the remaining stock of a limited reward" } },
  },
  {
    key: "REDEMPTIONS#{userID}",
    owner: "user",
    items: {
      redemption: {
        key: "REDEMPTION#{newestFirst}#{redemptionId}",
        holds: "a reward that the user has bought, kept for good",
        changesGoTo: "its user",
      },
    },
  },
  {
    key: "REDEMPTION#{redemptionId}",
    owner: "service",
    items: {
      redemptionPlace: {
        key: "PLACE",
        holds: "the place of the redemption with that id, written once for each id",
      },
    },
  },
  {
    key: "POINTS#{userID}",
    owner: "user",
    note: "Lines are numbered without gaps, so that a lost line is noticed.",
    items: {
      pointsLine: { key: "LINE#{number}", holds: "a change of the user's points, kept for good" },
    },
  },
  {
    key: "REFCODE#{code}",
    owner: "service",
    items: { referralCode: { key: "REFCODE", holds: "the owner of the referral code" } },
  },
  {
    key: "REFERRALS",
    owner: "service",
    items: {
      pendingReferral: {
        key: "{joinedAt}#{userID}",
        holds: "a pending referral: the referrer has no credit yet",
      },
    },
  },
  {
    key: "RETIREDKEYS",
    owner: "service",
    items: {
      retiredKey: { key: "{due}#{name}", holds: "an API key that is no longer used", isOfTheMoment: true },
    },
  },
  {
    key: "FALLBACKKEYS",
    owner: "service",
    note: "Authorizers read it at most once a minute. It has no key's value, which they compute.",
    items: {
      fallbackKeys: { key: "USABLE", holds: "how many fallback keys may be used", isOfTheMoment: true },
    },
  },
  {
    key: "CHANNEL#{channel}#{shard}",
    owner: "service",
    items: {
      subscriber: {
        key: "CONNECTION#{connectionId}",
        holds: "a subscriber of a public channel, in its shard",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "PRICES",
    owner: "service",
    items: {
      prices: {
        key: "LATEST",
        holds: "the latest prices, and the run that saves them: one item",
        changesGoTo: "subscribers",
        isOfTheMoment: true,
      },
    },
  },
] as const satisfies readonly PartitionLayout[];

export type Partition = (typeof partitions)[number];

type NameOf<Pattern extends string> = Pattern extends `${infer Name}#${string}` ? Name : Pattern;

export type PartitionName = NameOf<Partition["key"]>;
/** A guarded or a secret partition. Functions read only those that their rows name. */
export type ProtectedPartition = NameOf<Extract<Partition, { isGuarded: true } | { isSecret: true }>["key"]>;

/** Returns the name of a partition, which is the first part of its keys. */
export const partitionNameOf = (key: string) => key.split("#", 1)[0] as PartitionName;
