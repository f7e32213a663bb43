import { type Clock, realClock } from "./clock.ts";
import { Follower } from "./follower.ts";
import { routes } from "./openapi.ts";
import { type KeyStore, keysInMemory, RequestKeys } from "./request-keys.ts";
import { type CallerDeps, RestCaller } from "./rest-caller.ts";
import type { OperationName, RestCalls, RestRequest } from "./rest-types.ts";
import type { SocketConstructor } from "./socket.ts";
import type { FollowOptions, Stream } from "./stream-types.ts";
import { TokenKeeper, type TokenProvider } from "./token-keeper.ts";

export type TerminalOptions = {
  /** For example `http://127.0.0.1:3000`. Empty for the origin of the page. */
  baseUrl: string;
  /** By default `/stream` at baseUrl, by ws or wss. */
  streamUrl?: string;
  /** Without it, the cookie of the service serves. */
  token?: TokenProvider;
  /** Where Idempotency-Keys are kept until requests are answered. In memory by default. */
  keys?: KeyStore;
  /** How long a request is repeated that could not be answered; 20 seconds by default. */
  patienceMs?: number;
  /** How long one try of a request may take; 30 seconds by default. */
  timeoutMs?: number;
  fetch?: typeof fetch;
  /** For example that of the package `ws`, which Node 20 needs. */
  WebSocket?: SocketConstructor;
};

export type Terminal = RestCalls & {
  /**
   * Forgets the Idempotency-Keys of equal requests whose answers were lost, so that the next one is a new request. They have no
   * end of their own: what was not answered last month may have happened then.
   */
  forget<Name extends OperationName>(operation: Name, request: RestRequest<Name>): Promise<void>;
  /** Follows channels until the stream is closed, over one connection after another. */
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
      // No cast, so that the compiler says when the WebSocket of browsers does not fit.
      const WebSocket: SocketConstructor | undefined = options.WebSocket ?? globalThis.WebSocket;
      if (WebSocket === undefined)
        throw new TypeError("There is no WebSocket here: pass one to createTerminal");
      const streamUrl = options.streamUrl ?? streamAt(deps.baseUrl);
      return new Follower({ calls, tokens: deps.tokens, clock, WebSocket, streamUrl }, followed);
    },
  };
}

const streamAt = (baseUrl: string) => `${baseUrl.replace("http", "ws")}/stream`;

/** Of the page, if this runs in one. */
const location = () => (globalThis as { location?: { origin: string; href: string } }).location;

/** @throws {TypeError} if it is no address, or relative outside of a page */
function absolute(baseUrl: string): string {
  const { origin: own = "", href } = location() ?? {};
  try {
    const { origin, pathname } = new URL(baseUrl || own, href);
    return `${origin}${pathname.replace(/\/$/, "")}`;
  } catch {
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}: outside of a page, it must be a whole address`,
    );
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
  // Called without an object, as browsers demand.
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
