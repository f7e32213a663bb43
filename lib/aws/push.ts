import { setTimeout as pause } from "node:timers/promises";
import {
  ApiGatewayManagementApiClient,
  type ApiGatewayManagementApiClientConfig,
  DeleteConnectionCommand,
  GoneException,
  LimitExceededException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { forEachConcurrently } from "../concurrency.ts";
import { timeouts } from "./timeouts.ts";

/** Reaches the connections of the WebSocket API, which AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI names. */
export type Pusher = ApiGatewayManagementApiClient;

/** Messages for one connection, in the order in which they are to arrive. */
export type Delivery<Target> = { to: Target; connectionID: string; messages: readonly string[] };

export type Outcome<Target> = {
  /** Whose connections have ended. */
  gone: Target[];
  /** Who takes no more: they do not read what they were sent before. */
  stuck: Target[];
  /** Whom some message could not be brought for another reason, although they may be there. */
  undelivered: Target[];
};

/** A message could not be brought to a connection that may be there. */
export class Undelivered extends Error {
  override readonly name = "Undelivered";
}

/** Pushes under way at the same time, each on a connection to API Gateway that is kept open. */
const concurrency = 64;

/** How often a connection is tried, with growing pauses between: it may take no more for now, or the service. */
const rounds = 3;

/** Opens the way to the connections. Functions do so once, at load. */
export function openPusher(config: ApiGatewayManagementApiClientConfig = {}): Pusher {
  const agent = { maxSockets: concurrency, keepAlive: true };
  const requestHandler = { ...timeouts, httpAgent: agent, httpsAgent: agent };
  // The rounds below are the attempts: those of the SDK would hold up everybody else meanwhile.
  return new ApiGatewayManagementApiClient({ requestHandler, maxAttempts: 1, ...config });
}

/**
 * Brings messages to connections. Who cannot be reached is tried again after everybody else, so that nobody waits for the
 * slowest.
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
    if (failed.length === 0 || round === rounds) {
      // API Gateway says the same of a client that does not read and of an account that sends too much. When several are
      // told so and nobody was reached, it is the account.
      const isAccount = reached === 0 && failed.length > 1;
      const [stuck, undelivered] = partition(failed, ({ limited }) => limited && !isAccount);
      return { gone, stuck: stuck.map(({ to }) => to), undelivered: undelivered.map(({ to }) => to) };
    }
    await pause(100 * 2 ** round * (1 + Math.random()));
    open = failed;
  }
}

/** Closes a connection. One that has ended is closed. */
export async function hangUp(pusher: Pusher, connectionID: string): Promise<void> {
  try {
    await pusher.send(new DeleteConnectionCommand({ ConnectionId: connectionID }));
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
  }
}

/**
 * Brings messages to one connection. Nothing is missed when it has gone.
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

/** @returns the messages that are left to send, and why. */
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
