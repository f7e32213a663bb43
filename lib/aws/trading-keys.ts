import { createHash } from "node:crypto";
import type { Network } from "../domain/network.ts";
import type { BookKey } from "../domain/trading/book.ts";
import type { LaneKey } from "../domain/trading/intent.ts";
import type { PolicyKey } from "../domain/trading/wallet-policy.ts";
import {
  endOf,
  type Key,
  type KeyRange,
  policyPartition,
  tradesPartition,
  userPartition,
} from "./table-keys.ts";

/**
 * The part of the table's layout that only trading knows, and the keys of requests:
 *
 * | PK                 | SK                                   | item                                                  |
 * | ------------------ | ------------------------------------ | ----------------------------------------------------- |
 * | TRADES#userID      | TRADE#orderID                        | all that is known of an order placed here             |
 * | TRADES#userID      | BOOK#chain#address#token             | the fills from which a token's positions follow       |
 * | USER#userID        | USEDKEY#operation#key                | an idempotency key that was used                      |
 * | LANES#chain#n      | LANE#address                         | a wallet's lane, in its shard n                       |
 * | LANE#chain#address | JOB#orderID                          | an order of the lane that is not settled              |
 * | LANE#chain#address | SLOT#nonce                           | a nonce of the wallet, with what was signed for it    |
 * | SIGNED#orderID     | LEDGER                               | what the signer has signed for an order               |
 * | CANCELLED#orderID  | CANCELLATION                         | the user has cancelled an order                       |
 * | SIGNED#userID      | DAY#chain#address#day                | what was signed for a wallet's buys on a day          |
 * | POLICY#userID      | chain#address                        | what a wallet may buy                                 |
 * | TRADING            | STOP#chain                           | an operator has stopped trading on the chain          |
 * | WATCHERS           | WATCHER#chain                        | the run that watches the chain                        |
 *
 * What clients may not see of an order placed here, such as its signed transactions, is in TRADE# and in the
 * lane. Each step of an order writes all of them in one transaction.
 *
 * Ledgers are kept for good: without its ledger, an order that turns up again could be signed a second time.
 *
 * Functions that write orders have no business in USER#, where settings, wallets and used keys are. Policies name
 * partitions only, so what those functions write is in TRADES#.
 */
const JOB = "JOB#";
const SLOT = "SLOT#";
const LANE = "LANE#";

export const tradeKey = (userID: string, orderID: string): Key => ({
  PK: tradesPartition(userID),
  SK: `TRADE#${orderID}`,
});

export const bookKey = ({ userID, chain, wallet, token }: BookKey): Key => ({
  PK: tradesPartition(userID),
  SK: `BOOK#${chain}#${wallet}#${token}`,
});

/**
 * Not with the orders: whoever deletes it has a repeated request place a second one. Names the operation, so that the keys
 * of two operations never meet.
 */
export const usedKeyKey = (
  userID: string,
  operation: "placeOrder" | "createWallet" | "importWallet",
  key: string,
): Key => ({
  PK: userPartition(userID),
  SK: `USEDKEY#${operation}#${key}`,
});

/** Each step of an order checks its lane, so the lanes of a chain share several partitions. */
const laneShards = 2;

const lanesPartition = (chain: Network, shard: number) => `LANES#${chain}#${shard}`;

export const laneKey = ({ chain, wallet }: LaneKey): Key => ({
  PK: lanesPartition(chain, (createHash("sha256").update(wallet).digest()[0] ?? 0) % laneShards),
  SK: LANE + wallet,
});

/** All lanes of a chain, by shard. */
export const lanesOf = (chain: Network): KeyRange[] =>
  Array.from({ length: laneShards }, (_, shard) => ({
    PK: lanesPartition(chain, shard),
    from: LANE,
    to: endOf(LANE),
  }));

const lanePartition = ({ chain, wallet }: LaneKey) => `${LANE}${chain}#${wallet}`;

export const jobKey = (lane: LaneKey, orderID: string): Key => ({
  PK: lanePartition(lane),
  SK: JOB + orderID,
});

/** Padded, so that slots are in the order of their nonces. */
export const slotKey = (lane: LaneKey, nonce: number): Key => ({
  PK: lanePartition(lane),
  SK: SLOT + String(nonce).padStart(16, "0"),
});

export const jobsOf = (lane: LaneKey): KeyRange => ({ PK: lanePartition(lane), from: JOB, to: endOf(JOB) });

export const slotsInLane = (lane: LaneKey): KeyRange => ({
  PK: lanePartition(lane),
  from: SLOT,
  to: endOf(SLOT),
});

/** The jobs of a lane, then its slots. */
export const jobsAndSlotsOf = (lane: LaneKey): KeyRange => ({
  PK: lanePartition(lane),
  from: JOB,
  to: endOf(SLOT),
});

export const isJob = ({ SK }: Key): boolean => SK.startsWith(JOB);

/** In a partition of its own, so that a policy can leave it to the signer's role. */
export const ledgerKey = (orderID: string): Key => ({ PK: `SIGNED#${orderID}`, SK: "LEDGER" });

/** In a partition of its own too: only the function that cancels may write it. */
export const cancellationKey = (orderID: string): Key => ({ PK: `CANCELLED#${orderID}`, SK: "CANCELLATION" });

/** By address, so that limits outlive the wallet. In a partition of its own: only the function that sets policies may write it. */
export const policyKey = ({ userID, chain, wallet }: PolicyKey): Key => ({
  PK: policyPartition(userID),
  SK: `${chain}#${wallet}`,
});

/** Beside the ledgers, where only the signer may write. */
export const dayKey = ({ userID, chain, wallet, day }: PolicyKey & { day: string }): Key => ({
  PK: `SIGNED#${userID}`,
  SK: `DAY#${chain}#${wallet}#${day}`,
});

export const tradingStopKey = (chain: Network): Key => ({ PK: "TRADING", SK: `STOP#${chain}` });

export const watcherKey = (chain: Network): Key => ({ PK: "WATCHERS", SK: `WATCHER#${chain}` });

/** Whether an item is about orders that were placed here, and what came of them. */
export const isOfChains = ({ PK, SK, lane }: Key & { lane?: unknown }): boolean =>
  /^(?:LANES?|SIGNED|CANCELLED|WATCHERS)(?:#|$)/.test(PK) ||
  /^(?:TRADE|BOOK|USEDKEY#placeOrder)#/.test(SK) ||
  // Only orders and positions of lanes have one: those of other engines stay.
  lane !== undefined;
