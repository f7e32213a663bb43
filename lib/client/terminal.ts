import { type Clock, realClock } from "./clock.ts";
import { Follower } from "./follower.ts";
import type { RestCalls } from "./methods.ts";
import { routes } from "./openapi.ts";
import { type KeyStore, keysInMemory, RequestKeys } from "./request-keys.ts";
import { type CallerDeps, RestCaller } from "./rest-caller.ts";
import type { OperationName, RestRequest } from "./rest-types.ts";
import type { SocketConstructor } from "./socket.ts";
import type { FollowOptions, Stream } from "./stream-types.ts";
import { TokenKeeper, type TokenProvider } from "./token-keeper.ts";

export type TerminalOptions = {
  /** For example `http://127.0.0.1:3000`. Empty for the origin of the page. */
  baseUrl: string;
  /** By default `/stream` at baseUrl, over ws or wss. */
  streamUrl?: string;
  /** If absent, the service's cookie is used. */
  token?: TokenProvider;
  /** The store of Idempotency-Keys until requests are answered. In memory by default. */
  keys?: KeyStore;
  /** The time during which an unanswered request is repeated; 20 seconds by default. */
  patienceMs?: number;
  /** The time limit of one try of a request; 30 seconds by default. */
  timeoutMs?: number;
  fetch?: typeof fetch;
  /** For example, the class of the package `ws`, which Node 20 needs. */
  WebSocket?: SocketConstructor;
};

export type Terminal = RestCalls & {
  /**
   * Forgets the Idempotency-Keys of equal requests whose answers were lost, so that the next one is a new request. Keys
   * never expire: a request left unanswered last month may have been carried out then.
   */
  forget<Name extends OperationName>(operation: Name, request: RestRequest<Name>): Promise<void>;
  /** Follows channels until the stream is closed, reconnecting when needed. */
  follow(options: FollowOptions): Stream;
};

/** A client of the service: a method for each operation of the REST API, and `follow` for its stream. */
export function createTerminal(options: TerminalOptions, clock: Clock = realClock): Terminal {
  const deps = callerDeps(options, clock);
  const caller = new RestCaller(deps);
  const names = Object.keys(routes) as OperationName[];
  const calls = Object.fromEntries(
    names.map((name) => [name, caller.call.bind(caller, name)] as const),
  ) as unknown as RestCalls;
  return {
    ...calls,
    forget: (name, request) => caller.forget(name, request as object),
    follow(followed) {
      // Without a cast, the compiler checks that the browser's WebSocket fits.
      const WebSocket: SocketConstructor | undefined = options.WebSocket ?? globalThis.WebSocket;
      if (WebSocket === undefined)
        throw new TypeError("There is no WebSocket here: pass one to createTerminal");
      const streamUrl = options.streamUrl ?? streamAt(deps.baseUrl);
      return new Follower({ calls, tokens: deps.tokens, clock, WebSocket, streamUrl }, followed);
    },
  };
}

const streamAt = (baseUrl: string) => `${baseUrl.replace("http", "ws")}/stream`;

/** The location of the page, if this runs in one. */
const location = () => (globalThis as { location?: { origin: string; href: string } }).location;

/**
 * Resolves the base address.
 *
 * @throws {TypeError} if it is invalid, or relative outside a page
 */
function absolute(baseUrl: string): string {
  const { origin: own = "", href } = location() ?? {};
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
    ...options
  }: TerminalOptions,
  clock: Clock,
): CallerDeps {
  // Browsers require that fetch is called without an object.
  const fetch = options.fetch ?? globalThis.fetch;
  return {
    baseUrl: absolute(baseUrl),
    fetch: (...request) => fetch(...request),
    tokens: new TokenKeeper({ provider: token, clock, timeoutMs }),
    keys: new RequestKeys(keys),
    clock,
    isInPage: location() !== undefined,
    patienceMs,
    timeoutMs,
  };
}
