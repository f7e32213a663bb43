import { beforeEach, vi } from "vitest";
import type { Notice } from "../../../lib/aws/notice-bus.ts";
import type { Channel } from "../../../lib/core/channel.ts";
import type { FeedStart } from "../../../lib/prices/price-records.ts";
import type { CatchUp } from "../../../lib/realtime/catch-up.ts";
import { addChannels, openConnection } from "../../../lib/realtime/connection-records.ts";
import { type PublishTimes, publish } from "../../../lib/realtime/publish.ts";
import { connectionsApiForTests } from "../../support/connections-api.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { shortPausesForTests } from "../../support/short-pauses.ts";
import type { streamRecord } from "../../support/stream.ts";

/**
 * Provides `publish` with a table, an @connections API, and mocks of invocations and reports, for the tests of a file.
 */
export function publishingForTests() {
  const db = tableForTests();
  const api = connectionsApiForTests();
  shortPausesForTests();
  const now = new Date("2026-11-21T09:05:00.000Z");
  const minutesAgo = new Date("2026-11-21T09:00:00.000Z");
  const mocks = {
    handOver: vi.fn(async () => {}),
    startFeed: vi.fn(async (_: FeedStart) => {}),
    startReader: vi.fn(async () => {}),
    startCatchUp: vi.fn(async (_: CatchUp) => {}),
    putNotice: vi.fn(async (_: Notice, __: string) => {}),
    onFault: vi.fn(),
    onMissed: vi.fn(),
  };
  beforeEach(() => {
    for (const mock of Object.values(mocks)) mock.mockReset();
  });

  return {
    ...mocks,
    api,
    now,
    get table() {
      return db.table;
    },
    /** Returns the sequence numbers of the records to retry. */
    async publishAll(
      records: readonly ReturnType<typeof streamRecord>[],
      { isFollowed, ...times }: Partial<PublishTimes> & { isFollowed?: boolean } = {},
    ) {
      const occupiedShards = async () => [0, 1, 2, 3];
      const markets = { isFollowed: async () => isFollowed === true, startReader: mocks.startReader };
      const publisher = {
        table: db.table,
        pusher: api.current.pusher,
        occupiedShards,
        ...(isFollowed !== undefined && { markets }),
        ...mocks,
      };
      const deadline = new Date(Date.now() + 60_000);
      return [...(await publish(publisher, records, { now, deadline, ...times }))];
    },
    async connect(
      userID: string,
      connectionId: string,
      wanted: readonly Channel[] = [],
      since: Date = minutesAgo,
    ) {
      await openConnection(db.table, { userID, connectionId }, { shard: 0, now: since });
      await addChannels(db.table, { userID, connectionId }, wanted);
    },
    received: (connectionId: string) => api.current.parsedMessagesTo(connectionId),
  };
}
