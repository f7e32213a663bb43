import { subscribe } from "node:diagnostics_channel";

/** Time after which an idle connection is closed, unless its host names another time. Node's default is 4 s. */
const idleMs = 60_000;

/** Maximum time for which an idle connection is kept, whatever its host names. */
const mostIdleMs = 10 * 60_000;

/** Time for which a host is asked over HTTP/1.1 after it broke off HTTP/2. */
const plainMs = 60_000;

/** Part of a request as Node's HTTP client passes it to a dispatcher. This module changes it. */
type Dispatched = { origin?: string | URL; body?: unknown; idempotent?: boolean };
type Dispatcher = { dispatch(request: Dispatched, handler: object): boolean };
type DispatcherClass = new (options: object) => Dispatcher;

// Loads Node's HTTP client at start, while Lambda still gives the function a whole processor.
await fetch("data:,");

/**
 * Opens connections by the class of Node's own client, which is reachable only at the place where undici registers the
 * global dispatcher. Bundling undici would add 50 ms to each cold start.
 */
function openDispatcher(options: object): Dispatcher | undefined {
  const registered = (globalThis as Record<symbol, unknown>)[Symbol.for("undici.globalDispatcher.1")];
  const Agent = registered?.constructor as DispatcherClass | undefined;
  return Agent && new Agent({ keepAliveTimeout: idleMs, keepAliveMaxTimeout: mostIdleMs, ...options });
}

/** A hundred streams of HTTP/2 share a connection. Requests over HTTP/1.1 still wait for each other's answers. */
const dispatchers = {
  newest: openDispatcher({ allowH2: true, pipelining: 100 }),
  plain: openDispatcher({}),
};

type Origin = {
  /** Whether the newest connection speaks HTTP/2. Undefined before the first connection. */
  speaksHttp2?: boolean;
  /** Ends when the first connection is open or has failed. */
  opening?: Promise<unknown>;
  opened?: () => void;
  /** Whether the host has answered. Later requests may then meet a connection that it has closed. */
  hasAnswered: boolean;
  plainUntilMs: number;
};

const origins = new Map<string, Origin>();

function originOf(url: string | URL): Origin {
  const name = new URL(url).origin;
  const known = origins.get(name) ?? { hasAnswered: false, plainUntilMs: 0 };
  origins.set(name, known);
  return known;
}

type Connected = {
  connectParams: { protocol: string; host: string };
  socket: { alpnProtocol?: string | false | null };
};

subscribe("undici:client:connected", (message) => {
  const { connectParams, socket } = message as Connected;
  const origin = origins.get(new URL(`${connectParams.protocol}//${connectParams.host}`).origin);
  if (origin === undefined) return;
  origin.speaksHttp2 = socket.alpnProtocol === "h2";
  origin.opened?.();
});

/**
 * Sends a request to a host over a kept connection. A host that speaks HTTP/2 gets concurrent requests over one
 * connection. Repeats the request once if the host closed a kept connection before it answered, which is no fault of
 * the host. All requests to hosts may arrive twice, those of transactions too.
 */
export async function fetchFromHost(
  url: string | URL,
  request: Omit<RequestInit, "body"> & { body?: string; signal: AbortSignal },
): Promise<Response> {
  const origin = originOf(url);
  const { signal } = request;
  await firstConnection(origin, new URL(url).protocol, signal);
  const isRepeatable = origin.hasAnswered;
  try {
    return await sent(url, request, origin);
  } catch (error) {
    if (signal.aborted || !isRepeatable || !wasClosed(error)) throw error;
    if (origin.speaksHttp2) origin.plainUntilMs = Date.now() + plainMs;
    return await sent(url, request, origin);
  }
}

/** Lets one request open the first connection over TLS, which shows if the others can share it. */
async function firstConnection(origin: Origin, protocol: string, signal: AbortSignal): Promise<void> {
  if (protocol !== "https:" || origin.speaksHttp2 !== undefined) return;
  if (origin.opening === undefined) {
    origin.opening = new Promise<void>((resolve) => {
      origin.opened = resolve;
    });
    return;
  }
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await Promise.race([origin.opening, aborted]);
}

async function sent(
  url: string | URL,
  request: Omit<RequestInit, "body"> & { body?: string },
  origin: Origin,
): Promise<Response> {
  const isPlain = Date.now() < origin.plainUntilMs;
  const dispatcher = isPlain ? dispatchers.plain : dispatchers.newest;
  // Node's client would send the body as a stream, and would open a connection for each request.
  const whole: Dispatcher | undefined = dispatcher && {
    dispatch: (dispatched, handler) =>
      dispatcher.dispatch(
        {
          ...dispatched,
          body: request.body ?? null,
          idempotent: !isPlain && origin.speaksHttp2 === true,
        },
        handler,
      ),
  };
  // Is no RequestInit, whose type of dispatchers has twenty methods that Node's client does not call.
  const init: object = whole === undefined ? request : { ...request, dispatcher: whole };
  try {
    const response = await fetch(url, init);
    origin.hasAnswered = true;
    return response;
  } finally {
    origin.opened?.();
    if (origin.speaksHttp2 === undefined) delete origin.opening;
  }
}

/** Error codes of `fetch` for a connection that ended before the answer. */
const closed = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ERR_HTTP2_.*|UND_ERR_INFO|UND_ERR_DESTROYED)$/;

const wasClosed = (error: unknown): boolean =>
  error instanceof Error && closed.test((error.cause as { code?: string } | undefined)?.code ?? "");
