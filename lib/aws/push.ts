import { setTimeout as pause } from "node:timers/promises";
import {
  ApiGatewayManagementApiClient,
  type ApiGatewayManagementApiClientConfig,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  LimitExceededException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { forEachConcurrently } from "../concurrency.ts";
import { timeouts } from "./timeouts.ts";

/** A client for the connections of the WebSocket API that AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI names. */
export type Pusher = ApiGatewayManagementApiClient;

/** Messages for one connection, in order. */
export type Delivery<Target> = { to: Target; connectionID: string; messages: readonly string[] };

export type Outcome<Target> = {
  /** Closed connections. */
  gone: Target[];
  /** Clients that have stopped reading. */
  stuck: Target[];
  /** Connections that may be open but missed a message for another reason. */
  undelivered: Target[];
};

/** A message did not reach a connection that may be open. */
export class Undelivered extends Error {
  override readonly name = "Undelivered";
}

/** Concurrent pushes, each on its own keep-alive connection to API Gateway. */
const concurrency = 64;

/** Attempts per connection, with growing pauses, as a client or the service may be busy for a moment. */
const maxRounds = 3;

/** Functions open their pusher once, at load. */
export function openPusher(config: ApiGatewayManagementApiClientConfig = {}): Pusher {
  const agent = { maxSockets: concurrency, keepAlive: true };
  const requestHandler = { ...timeouts, httpAgent: agent, httpsAgent: agent };
  // The SDK's retries would delay all other connections. The rounds below are the retries.
  return new ApiGatewayManagementApiClient({ requestHandler, maxAttempts: 1, ...config });
}

/**
 * Pushes messages to connections. Failed ones are retried after all others, so that nobody waits for the slowest.
 */
export async function push<Target>(
  pusher: Pusher,
  deliveries: AsyncIterable<Delivery<Target>> | Iterable<Delivery<Target>>,
): Promise<Outcome<Target>> {
  const gone: Target[] = [];
  let reached = 0;
  let open = deliveries;
  for (let round = 1; ; round++) {
    const failed: (Delivery<Target> & { limited: boolean })[] = [];
    await forEachConcurrently(open, { concurrency }, async (delivery) => {
      const { left, error } = await deliver(pusher, delivery);
      if (error === undefined) reached++;
      else if (error instanceof GoneException) gone.push(delivery.to);
      else failed.push({ ...delivery, messages: left, limited: error instanceof LimitExceededException });
    });
    if (failed.length === 0 || round === maxRounds) {
      // API Gateway answers 429 both for a client that has stopped reading and for an account that sends too much. If
      // several connections got a 429 and none was reached, it is the account.
      const isAccount = reached === 0 && failed.length > 1;
      const [stuck, undelivered] = partition(failed, ({ limited }) => limited && !isAccount);
      return { gone, stuck: stuck.map(({ to }) => to), undelivered: undelivered.map(({ to }) => to) };
    }
    await pause(100 * 2 ** round * (1 + Math.random()));
    open = failed;
  }
}

/** How to send to a connection, and how to close it. */
export const connectionPort = (pusher: Pusher) => ({
  send: (connectionID: string, messages: readonly string[]) => pushTo(pusher, connectionID, messages),
  hangUp: (connectionID: string) => hangUp(pusher, connectionID),
});

/** Whether a connection is open. Until its handshake ends, it is not. */
export async function isConnected(pusher: Pusher, connectionID: string): Promise<boolean> {
  try {
    await pusher.send(new GetConnectionCommand({ ConnectionId: connectionID }));
    return true;
  } catch (error) {
    if (error instanceof GoneException) return false;
    throw error;
  }
}

/** Closes a connection. Succeeds if it is closed already. */
export async function hangUp(pusher: Pusher, connectionID: string): Promise<void> {
  try {
    await pusher.send(new DeleteConnectionCommand({ ConnectionId: connectionID }));
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
  }
}

/**
 * Pushes messages to one connection. Succeeds if it is closed: nobody misses them.
 *
 * @throws {Undelivered}
 */
export async function pushTo(
  pusher: Pusher,
  connectionID: string,
  messages: readonly string[],
): Promise<void> {
  const { stuck, undelivered } = await push(pusher, [{ to: connectionID, connectionID, messages }]);
  if (stuck.length + undelivered.length > 0) throw new Undelivered();
}

/** Returns the messages that are still to be sent, and the error that stopped it. */
async function deliver<Target>(
  pusher: Pusher,
  { connectionID, messages }: Delivery<Target>,
): Promise<{ left: readonly string[]; error?: unknown }> {
  for (const [index, message] of messages.entries()) {
    try {
      await pusher.send(new PostToConnectionCommand({ ConnectionId: connectionID, Data: message }));
    } catch (error) {
      return { left: messages.slice(index), error };
    }
  }
  return { left: [] };
}

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
