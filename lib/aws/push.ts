import { setTimeout as pause } from "node:timers/promises";
import {
  ApiGatewayManagementApiClient,
  type ApiGatewayManagementApiClientConfig,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  LimitExceededException,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { forEachConcurrently } from "../core/concurrency.ts";
import { DeadlineExceeded, keepDeadline, perAttempt } from "./deadline.ts";
import { Post } from "./post.ts";
import { fixedSettings, timeouts } from "./timeouts.ts";

/** A client for the connections of the WebSocket API at AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI. */
export type Pusher = ApiGatewayManagementApiClient;

/** Messages for one connection, in order. */
export type Delivery<Target> = { to: Target; connectionId: string; messages: readonly string[] };

/** A connection that missed a message, with the error of the last attempt. The connection is open, or may be open. */
export type Missed<Target> = { to: Target; error: unknown };

export type Outcome<Target> = {
  /** Connections that got all of their messages. */
  reached: Target[];
  /** Connections that are closed. */
  gone: Target[];
  missed: Missed<Target>[];
  /** Connections whose pushes the deadline cut off. They may have got some of their messages. */
  unfinished: Target[];
};

export type PushOptions<Target> = {
  /**
   * Maximum number of attempts per connection. The pauses between them grow, because a client or the service may be
   * busy for a moment.
   */
  rounds?: number;
  /** True if a connection should be tried again. */
  isRetried?: (to: Target) => boolean;
  /** Time after which no push starts. */
  deadline?: Date;
};

/** Maximum number of simultaneous pushes, each on a keep-alive connection of its own. */
export const concurrentPushes = 64;

/** Opens the pusher of a function. Each function does this once, when it is loaded. */
export function openPusher(config: ApiGatewayManagementApiClientConfig = {}): Pusher {
  const agent = { maxSockets: concurrentPushes, keepAlive: true };
  const requestHandler = { ...timeouts, httpAgent: agent, httpsAgent: agent };
  // Switches off the SDK's retries, which would delay all other connections. push() retries in rounds.
  const pusher = new ApiGatewayManagementApiClient({
    ...fixedSettings,
    requestHandler,
    maxAttempts: 1,
    cacheMiddleware: true,
    ...config,
  });
  pusher.middlewareStack.add(keepDeadline, perAttempt);
  return pusher;
}

/**
 * Pushes messages to connections. Retries failed pushes after all others, so that other connections do not wait for
 * them.
 */
export async function push<Target>(
  pusher: Pusher,
  deliveries: AsyncIterable<Delivery<Target>> | Iterable<Delivery<Target>>,
  { rounds = 3, isRetried = () => true, deadline }: PushOptions<Target> = {},
): Promise<Outcome<Target>> {
  const outcome: Outcome<Target> = { reached: [], gone: [], missed: [], unfinished: [] };
  const isOver = (inMs = 0) => deadline !== undefined && Date.now() + inMs >= deadline.getTime();
  let open = deliveries;
  for (let round = 1; ; round++) {
    const failed: (Delivery<Target> & { error: unknown })[] = [];
    await forEachConcurrently(open, { concurrency: concurrentPushes }, async (delivery) => {
      const { left, error } = await deliver(pusher, delivery, isOver);
      if (left.length === 0) outcome.reached.push(delivery.to);
      else if (error === undefined) outcome.unfinished.push(delivery.to);
      else if (error instanceof GoneException) outcome.gone.push(delivery.to);
      else failed.push({ ...delivery, messages: left, error });
    });
    const pauseMs = 100 * 2 ** round * (1 + Math.random());
    const isLast = round >= rounds || isOver(pauseMs);
    const retried: typeof failed = [];
    for (const delivery of failed) {
      const { to, error } = delivery;
      if (isLast || error instanceof DeadlineExceeded || !isRetried(to)) outcome.missed.push({ to, error });
      else retried.push(delivery);
    }
    if (retried.length === 0) return outcome;
    await pause(pauseMs);
    open = retried;
  }
}

/** Functions that send messages to a connection and close it. */
export const connectionPort = (pusher: Pusher) => ({
  send: (connectionId: string, messages: readonly string[]) => pushTo(pusher, connectionId, messages),
  hangUp: (connectionId: string) => hangUp(pusher, connectionId),
});

/** True if a connection is open. A connection still in its handshake is not open. */
export async function isConnected(pusher: Pusher, connectionId: string): Promise<boolean> {
  try {
    await pusher.send(new GetConnectionCommand({ ConnectionId: connectionId }));
    return true;
  } catch (error) {
    if (error instanceof GoneException) return false;
    throw error;
  }
}

/**
 * True if API Gateway refused a push only temporarily: either the client's buffer is full, or the account sends too
 * much. API Gateway does not distinguish the two.
 */
export const isRefusal = (error: unknown): boolean => error instanceof LimitExceededException;

/** Closes a connection. Returns false if the connection is already closed, or still in its handshake. */
export async function hangUp(pusher: Pusher, connectionId: string): Promise<boolean> {
  try {
    await pusher.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
    return true;
  } catch (error) {
    if (error instanceof GoneException) return false;
    throw error;
  }
}

/**
 * Pushes messages to one connection. Does not fail if the connection is closed.
 *
 * @throws the error of the last attempt.
 */
export async function pushTo(
  pusher: Pusher,
  connectionId: string,
  messages: readonly string[],
): Promise<void> {
  const { missed } = await push(pusher, [{ to: connectionId, connectionId, messages }]);
  for (const { error } of missed) throw error;
}

/**
 * Returns the unsent messages, and the error that stopped the push, if any. Reaching the deadline does not count as an
 * error.
 */
async function deliver<Target>(
  pusher: Pusher,
  { connectionId, messages }: Delivery<Target>,
  isOver: () => boolean,
): Promise<{ left: readonly string[]; error?: unknown }> {
  for (const [index, message] of messages.entries()) {
    const left = messages.slice(index);
    if (isOver()) return { left };
    try {
      await pusher.send(new Post({ ConnectionId: connectionId, Data: message }));
    } catch (error) {
      return { left, error };
    }
  }
  return { left: [] };
}
