import { type Clock, realClock } from "./clock.ts";
import { expectPrices, Follower } from "./follower.ts";
import type { RestCalls } from "./methods.ts";
import { routes } from "./openapi.ts";
import { type OrderWait, orderWaiter } from "./order-waiter.ts";
import { pageLocation } from "./page.ts";
import { type KeyStore, keysInMemory, RequestKeys } from "./request-keys.ts";
import { type AnyRequest, type CallerDeps, RestCaller, type Retry } from "./rest-caller.ts";
import type { OperationName, Pages, RestRequest } from "./rest-types.ts";
import type { SocketConstructor } from "./socket.ts";
import { type FollowOptions, followable, type Order, type Stream } from "./stream-types.ts";
import { TokenKeeper, type TokenProvider, type Tokens } from "./token-keeper.ts";

export type TerminalOptions = {
  /** Base address of the service, such as `http://127.0.0.1:3000`. If empty, the page's origin is used. */
  baseUrl: string;
  /** Address of the stream. The default is `/stream` at baseUrl, over ws or wss. */
  streamUrl?: string;
  /** Provides tokens. If absent, the service's cookie is used. */
  token?: TokenProvider;
  /** Stores the Idempotency-Keys of requests until they are answered. By default, keys stay in memory. */
  keys?: KeyStore;
  /** Milliseconds during which an unanswered request is repeated. The default is 20 seconds. */
  patienceMs?: number;
  /** Time limit of one try of a request. The default is 30 seconds. */
  timeoutMs?: number;
  /** Called before a request is tried again, for logs and metrics. */
  onRetry?: (retry: Retry) => void;
  fetch?: typeof fetch;
  /** WebSocket class, such as that of the package `ws`, which Node 20 needs. */
  WebSocket?: SocketConstructor;
};

export type Terminal = RestCalls & {
  /**
   * Forgets the Idempotency-Keys of unanswered requests that equal this one, so that the next one counts as new. Keys
   * never expire: the service may have carried out a request that it never answered.
   */
  forget<Name extends OperationName>(operation: Name, request: RestRequest<Name>): Promise<void>;
  /**
   * Follows channels until the stream is closed, reconnecting when needed.
   *
   * @example
   * const stream = terminal.follow({ channels: ["orders"], onState: ({ orders }) => console.log(orders) });
   * @throws {TypeError} for unknown channels, and where there is no WebSocket
   */
  follow(options: FollowOptions): Stream;
  /**
   * Waits until an order has ended, across reconnections. Check its `status`: it may have ended without a fill. Rejects
   * if the user has no such order, with the signal's reason on abort, or with a TimeoutError.
   *
   * @example
   * const order = await terminal.waitForOrder(orderId, { until: "filled", timeoutMs: 120_000 });
   */
  waitForOrder(orderId: string, options?: OrderWait): Promise<Order>;
  /**
   * Reads a list page by page, until its end or the first error.
   *
   * @example
   * for await (const { data, error } of terminal.pages("listOrders", { query: { status: "filled" } }))
   *   console.log(error ?? data.orders);
   */
  pages: Pages;
};

/** A client of the service. It has a method for each operation of the REST API, and `follow` for the stream. */
export function createTerminal(
  options: TerminalOptions,
  clock: Clock = realClock,
  tokens?: Tokens,
): Terminal {
  const deps = callerDeps(options, clock, tokens);
  const caller = new RestCaller(deps);
  const names = Object.keys(routes) as OperationName[];
  const calls = Object.fromEntries(
    names.map((name) => [name, caller.call.bind(caller, name)] as const),
  ) as unknown as RestCalls;
  const pages: Pages = (name, request) => caller.pages(name, request as AnyRequest) as never;
  function follow(followed: FollowOptions): Stream {
    // Lets the compiler check that the browser's WebSocket fits, without a cast.
    const WebSocket: SocketConstructor | undefined = options.WebSocket ?? globalThis.WebSocket;
    if (WebSocket === undefined)
      throw new TypeError("There is no WebSocket here: pass one to createTerminal");
    const unknown = followed.channels.find((channel) => !followable.includes(channel));
    if (unknown !== undefined)
      throw new TypeError(`There is no channel ${unknown}, only ${followable.join(", ")}`);
    if (followed.tokens ?? followed.every) expectPrices(followed.channels);
    const streamUrl = options.streamUrl ?? streamAt(deps.baseUrl);
    return new Follower({ calls, pages, tokens: deps.tokens, clock, WebSocket, streamUrl }, followed);
  }
  return {
    ...calls,
    forget: (name, request) => caller.forget(name, request as object),
    follow,
    waitForOrder: orderWaiter({ calls, clock, follow: () => follow({ channels: ["orders"] }) }),
    pages,
  };
}

const streamAt = (baseUrl: string) => `${baseUrl.replace("http", "ws")}/stream`;

/**
 * Resolves the base address.
 *
 * @throws {TypeError} if it is invalid, or relative outside a page
 */
function absolute(baseUrl: string): string {
  const { origin: own = "", href } = pageLocation() ?? {};
  try {
    const { origin, pathname } = new URL(baseUrl || own, href);
    return `${origin}${pathname.replace(/\/$/, "")}`;
  } catch {
    throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}: outside a page, it must be an absolute URL`);
  }
}

function callerDeps(
  {
    baseUrl,
    token,
    keys = keysInMemory(),
    patienceMs = 20_000,
    timeoutMs = 30_000,
    onRetry = () => {},
    ...options
  }: TerminalOptions,
  clock: Clock,
  tokens?: Tokens,
): CallerDeps {
  if (token !== undefined && typeof token !== "function")
    throw new TypeError("token must be a function that returns a token, such as async () => token");
  // Calls fetch as a plain function and not as a method, as browsers require.
  const fetch = options.fetch ?? globalThis.fetch;
  return {
    baseUrl: absolute(baseUrl),
    fetch: (...request) => fetch(...request),
    tokens: tokens ?? new TokenKeeper({ provider: token, clock, timeoutMs }),
    keys: new RequestKeys(keys),
    clock,
    isInPage: pageLocation() !== undefined,
    patienceMs,
    timeoutMs,
    onRetry,
  };
}
