import { setTimeout as pause } from "node:timers/promises";
import { encodeMessage, type ServerMessage } from "../api/server-messages.ts";
import { type Delivery, type Outcome, type Pusher, push } from "../aws/push.ts";
import { type PrivateChannel, privateChannels } from "../core/channel.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import { inPartsOf } from "../core/in-parts.ts";
import { programKeysOfUser } from "../programs/program-keys.ts";
import { readRedemptions } from "../rewards/redemption-records.ts";
import type { Table } from "../table/table.ts";
import { readProgress } from "../users/profile-records.ts";
import { readSettings } from "../users/settings-records.ts";
import { announcedToUser } from "../wallets/export/announced-exports.ts";
import { shownPolicies } from "../wallets/guard-records.ts";
import { bySlot } from "../wallets/wallet.ts";
import { walletsOfUser } from "../wallets/wallet-records.ts";
import {
  exportsAnnounced,
  policyUpdated,
  profileUpdated,
  programKeyChanged,
  rewardRedeemed,
  walletsUpdated,
} from "./change-messages.ts";
import {
  type Connection,
  type ConnectionName,
  connectionsOfUser,
  hasEndedKey,
} from "./connection-records.ts";
import { concurrency, forgetConnections, type Reporter, reportMissed } from "./push-outcome.ts";
import { snapshotsOf } from "./snapshots.ts";
import { clearMisses, giveUpOn } from "./stuck-records.ts";

/** Lists a user's connections that have missed messages. */
export type CatchUp = { connections: readonly ConnectionName[] };

export type CatchUpDeps = Reporter & { table: Table; pusher: Pusher };

/** Time after which a catch-up is certainly over. It exceeds the time that Lambda spends on one, including retries. */
const abandonedMs = 600_000;

/** True if a connection is out of date and no run is updating it. */
export const isAbandoned = ({ stuckSince, misses }: Connection, now: Date): boolean =>
  stuckSince !== undefined && (misses === 0 || now.getTime() - Date.parse(stuckSince) > abandonedMs);

/** Maximum number of connections in one catch-up. Lambda accepts 256 KB for an asynchronous invocation. */
const maxConnections = 100;

/** Splits connections into groups, one for each catch-up. */
export function inCatchUps(connections: readonly ConnectionName[]): CatchUp[] {
  const names = connections.map(({ userID, connectionId }) => ({ userID, connectionId }));
  return inPartsOf(maxConnections, names).map((part) => ({ connections: part }));
}

/** Pauses between attempts, in milliseconds. Once all are used, the last one is repeated. */
const defaultPausesMs = [500, 1000, 2000, 4000, 8000];

/**
 * Brings connections that have missed messages up to date. Pushes their user's current settings and wallets, recent
 * redemptions and earnings, and a snapshot of each private channel that they subscribe to. Retries until the deadline. If a
 * connection is still out of date then, its user's next change starts another catch-up.
 */
export async function catchUp(
  deps: CatchUpDeps,
  { connections }: CatchUp,
  { deadline, pausesMs = defaultPausesMs }: { deadline: Date; pausesMs?: readonly number[] },
): Promise<void> {
  let behind = connections;
  let failed: Outcome<Behind> | undefined;
  for (let round = 0; ; round++) {
    const outcome = await pushState(deps, behind, deadline);
    if (outcome.missed.length > 0) failed = outcome;
    await forgetConnections(deps.table, outcome.gone, deps);
    behind = [
      ...(await missedMore(deps, outcome.reached)),
      ...outcome.missed.map(({ to }) => to),
      ...outcome.unfinished,
    ];
    if (behind.length === 0) return;
    const pauseMs = (pausesMs[round] ?? pausesMs.at(-1) ?? 0) * (1 + Math.random());
    if (Date.now() + pauseMs >= deadline.getTime()) break;
    await pause(pauseMs);
  }
  if (failed) reportMissed(failed, deps);
  await forEachConcurrently(behind, { concurrency }, (name) =>
    giveUpOn(deps.table, name).catch(deps.onFault),
  );
}

type Behind = ConnectionName & { misses?: number | undefined };

async function pushState(
  { table, pusher, onFault }: CatchUpDeps,
  connections: readonly ConnectionName[],
  deadline: Date,
): Promise<Outcome<Behind>> {
  const unread: Outcome<Behind>["missed"] = [];
  const deliveries: Delivery<Behind>[] = [];
  const byUser = Map.groupBy(connections, ({ userID }) => userID);
  await forEachConcurrently(byUser, { concurrency }, async ([userID, ofUser]) => {
    try {
      deliveries.push(
        ...(await stateOf({ table, onFault }, userID, new Set(ofUser.map((each) => each.connectionId)))),
      );
    } catch (error) {
      for (const to of ofUser) unread.push({ to, error });
    }
  });
  const outcome = await push(pusher, deliveries, { rounds: 1, deadline });
  return { ...outcome, missed: [...outcome.missed, ...unread] };
}

/** Number of redemptions to search for recent changes. */
const newestRedemptions = 100;

/** Age up to which changes are sent again. It exceeds the two hours after which API Gateway closes a connection. */
const longerThanConnectionsMs = 3 * 3_600_000;

/** Builds the messages with the current state for some of a user's connections. */
async function stateOf(
  { table, onFault }: Pick<CatchUpDeps, "table" | "onFault">,
  userID: string,
  connectionIds: ReadonlySet<string>,
): Promise<Delivery<Behind>[]> {
  const all = await connectionsOfUser(table, userID);
  const now = new Date();
  const connections = all.filter((each) => connectionIds.has(each.connectionId) && !hasEndedKey(each, now));
  if (connections.length === 0) return [];

  // Reads the state after the connections, so that changes missed from now on count as new misses.
  const time = now.toISOString();
  const since = new Date(now.getTime() - longerThanConnectionsMs).toISOString();
  const [settings, wallets, exports, policies, keys, { redemptions }, progress] = await Promise.all([
    readSettings(table, userID),
    walletsOfUser(table, userID, onFault),
    announcedToUser(table, userID, now),
    shownPolicies(table, userID),
    programKeysOfUser(table, userID, now),
    readRedemptions(table, userID, { limit: newestRedemptions }),
    readProgress(table, userID),
  ]);
  const everyone = [
    ...settings.map((data) => ({ type: "TradingSettingsUpdated", time, data }) as ServerMessage),
    ...walletsUpdated(bySlot(wallets), now),
    ...exportsAnnounced(exports, now),
    ...policies.map((each) => policyUpdated(each, now)),
    ...keys
      .filter(({ createdAt, revokedAt = createdAt }) => revokedAt >= since)
      .map((each) => programKeyChanged(each, now)),
    ...redemptions.filter(({ updatedAt }) => updatedAt >= since).map((each) => rewardRedeemed(each, now)),
    ...(progress !== undefined && progress.version >= Date.parse(since)
      ? [profileUpdated(progress, now)]
      : []),
  ].map(encodeMessage);
  const wanted = privateChannels.filter((channel) =>
    connections.some(({ channels }) => channels?.has(channel)),
  );
  const snapshots = new Map<PrivateChannel, string[]>();
  for (const channel of wanted)
    snapshots.set(channel, (await snapshotsOf(table, channel, userID, now)).map(encodeMessage));

  return connections.map(({ connectionId, channels, misses }) => ({
    to: { userID, connectionId, misses },
    connectionId,
    messages: [
      ...everyone,
      ...[...snapshots].flatMap(([channel, messages]) => (channels?.has(channel) ? messages : [])),
    ],
  }));
}

/** Marks connections as up to date. Returns those that have missed further messages in the meantime. */
async function missedMore({ table, onFault }: CatchUpDeps, reached: readonly Behind[]): Promise<Behind[]> {
  const others: Behind[] = [];
  await forEachConcurrently(reached, { concurrency }, async (connection) => {
    try {
      if (!(await clearMisses(table, connection, connection.misses ?? 0))) others.push(connection);
    } catch (error) {
      onFault(error);
      others.push(connection);
    }
  });
  return others;
}
