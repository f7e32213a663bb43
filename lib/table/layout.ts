/**
 * The layout of the table: one list of all partitions and of the items in them. Key builders, roles, filters of changes, backups
 * and docs/table.md derive from it. Items that are read together are stored together, so that each read is one Query or one
 * GetItem.
 */

export type ItemLayout = {
  /** The pattern of the sort key. It varies in the names in braces. */
  key: string;
  holds: string;
  /** Whom changes of the item are sent to: a user's connections, subscribers of a channel, or mirrorPlans. */
  changesGoTo?: "its user" | "subscribers" | "mirrorPlans";
  /** Whether it describes what exists elsewhere right now, such as connections or API keys. An old copy is wrong. */
  isOfTheMoment?: true;
};

export type PartitionLayout = {
  /** The pattern of the partition key. Its first part names the partition. */
  key: string;
  owner: "user" | "service";
  /** Whether functions that open wallets believe its items. So only the functions that own it, or operators, may write there. */
  isGuarded?: true;
  /** Why it is a partition of its own, or what else must be known of it. */
  note?: string;
  items: Readonly<Record<string, ItemLayout>>;
};

export const partitions = [
  {
    key: "USER#{userID}",
    owner: "user",
    note: "Functions that execute orders have no right to write here, where settings, wallets and used keys are.",
    items: {
      profile: { key: "PROFILE", holds: "the profile", changesGoTo: "mirrorPlans" },
      settings: {
        key: "PROFILE#CHAIN#{chain}",
        holds: "the trading settings of a chain",
        changesGoTo: "its user",
      },
      referral: {
        key: "PROFILE#REFERRAL#{newestFirst}#{referredId}",
        holds: "a user whom this one referred",
      },
      wallet: {
        key: "WALLET#{network}#{address}",
        holds: "a wallet; the key itself makes an address unique",
        changesGoTo: "its user",
      },
      usedKey: { key: "USEDKEY#{operation}#{key}", holds: "an idempotency key that was used" },
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
      userKey: { key: "PLANKEY", holds: "the record of the user's API key", isOfTheMoment: true },
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
    note: "Named by address, so that limits outlive the wallet.",
    items: { policy: { key: "{chain}#{wallet}", holds: "what a wallet may buy" } },
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
      exportDay: {
        key: "DAY#{day}",
        holds: "how many exports the user has requested on a day",
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
    },
  },
  {
    key: "TRADES#{userID}",
    owner: "user",
    note:
      "Orders and positions are deleted a week after their end, except in lists if they were placed here. What clients may not " +
      "see of an order placed here, such as its signed transactions, is in `TRADE#` and in the lane. Each step of an order " +
      "writes all of them in one transaction.",
    items: {
      order: { key: "ORDER#{orderId}", holds: "an order", changesGoTo: "its user" },
      position: { key: "POSITION#{positionId}", holds: "a position", changesGoTo: "its user" },
      listedOrder: { key: "ORDERAT#{newestFirst}#{orderId}", holds: "the order again, for lists" },
      listedPosition: {
        key: "POSITIONAT#{newestFirst}#{positionId}",
        holds: "the position again, for lists",
      },
      trade: { key: "TRADE#{orderId}", holds: "all that is known of an order placed here" },
      book: {
        key: "BOOK#{chain}#{wallet}#{token}",
        holds: "the fills from which a token's positions follow",
      },
    },
  },
  {
    key: "LANES#{chain}#{shard}",
    owner: "service",
    note: "Each step of an order checks its lane, so the lanes of a chain share several partitions.",
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
        holds: "a nonce of the wallet, with what was signed for it",
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
      ledger: { key: "LEDGER", holds: "what the signer has signed for an order", isOfTheMoment: true },
      signedDay: {
        key: "DAY#{chain}#{wallet}#{day}",
        holds: "what was signed for a wallet's buys on a day",
        isOfTheMoment: true,
      },
    },
  },
  {
    key: "CANCELLED#{orderId}",
    owner: "service",
    isGuarded: true,
    items: {
      cancellation: { key: "CANCELLATION", holds: "the user has cancelled an order", isOfTheMoment: true },
    },
  },
  {
    key: "TRADING",
    owner: "service",
    isGuarded: true,
    items: { tradingStop: { key: "STOP#{chain}", holds: "an operator has stopped trading on the chain" } },
  },
  {
    key: "WATCHERS",
    owner: "service",
    items: {
      watcher: { key: "WATCHER#{chain}", holds: "the run that watches the chain", isOfTheMoment: true },
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
      "The stock is not in the catalogue: each sale would write up to 400 KB, and operators who replace the catalogue would " +
      "put back what was sold meanwhile.",
    items: { stock: { key: "STOCK", holds: "how many of a limited reward are left" } },
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
        holds: "where the redemption with that id is; taken once for each id",
      },
    },
  },
  {
    key: "POINTS#{userID}",
    owner: "user",
    note: "Lines are numbered without gaps, whatever clocks say, so that one that is lost is missed.",
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
        holds: "the latest prices: one item, and one change a second",
        changesGoTo: "subscribers",
        isOfTheMoment: true,
      },
    },
  },
] as const satisfies readonly PartitionLayout[];

export type Partition = (typeof partitions)[number];

type NameOf<Pattern extends string> = Pattern extends `${infer Name}#${string}` ? Name : Pattern;

export type PartitionName = NameOf<Partition["key"]>;
export type GuardedPartition = NameOf<Extract<Partition, { isGuarded: true }>["key"]>;
export type OpenPartition = Exclude<PartitionName, GuardedPartition>;

/** How a partition is named: by the first part of its keys. */
export const partitionNameOf = (key: string) => key.split("#", 1)[0] as PartitionName;
