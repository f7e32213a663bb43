import { subscribe } from "node:diagnostics_channel";

/**
 * Time after which an idle connection is no longer used, unless a host that speaks HTTP/1.1 names another time. Node's
 * default is 4 s, and none for HTTP/2.
 */
const idleMs = 60_000;

/** Maximum time for which an idle connection is kept, whatever its host names. */
const mostIdleMs = 10 * 60_000;

/** Time for which a host is asked over HTTP/1.1 after it broke off HTTP/2, or has never answered over it. */
const plainMs = 60_000;

/** Longer than any request may take. A request that ends later was begun before Lambda froze the process. */
const frozenMs = 5000;

/** Part of a request as Node's HTTP client passes it to a dispatcher. This module changes it. */
type Dispatched = { origin?: string | URL; body?: unknown; idempotent?: boolean };
type Dispatcher = { dispatch(request: Dispatched, handler: object): boolean; close(): Promise<void> };
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

/** Keeps the connections to hosts that speak HTTP/2 badly and are asked over HTTP/1.1 instead. */
const plain = openDispatcher({});

/** The kept connections to a host. They are replaced together, once they may be dead. */
type Line = {
  dispatcher: Dispatcher | undefined;
  /** Whether the newest connection speaks HTTP/2. Undefined before the first connection. */
  speaksHttp2?: boolean;
  /** Ends when the first connection is open or has failed. */
  opening?: Promise<void>;
  opened?: () => void;
  answers: number;
  usedMs: number;
};

/** A hundred streams of HTTP/2 share a connection. Requests over HTTP/1.1 still wait for each other's answers. */
const newLine = (): Line => ({
  dispatcher: openDispatcher({ allowH2: true, pipelining: 100 }),
  answers: 0,
  usedMs: Date.now(),
});

type Origin = {
  line: Line;
  /** Whether the host has answered. Later requests may then meet a connection that it has closed. */
  hasAnswered: boolean;
  plainUntilMs: number;
};

const origins = new Map<string, Origin>();

function originOf(url: string | URL): Origin {
  const name = new URL(url).origin;
  const known = origins.get(name) ?? { line: newLine(), hasAnswered: false, plainUntilMs: 0 };
  origins.set(name, known);
  return known;
}

const isPlain = ({ plainUntilMs }: Origin) => Date.now() < plainUntilMs;

type Connected = {
  connectParams: { protocol: string; host: string };
  socket: { alpnProtocol?: string | false | null };
};

subscribe("undici:client:connected", (message) => {
  const { connectParams, socket } = message as Connected;
  const origin = origins.get(new URL(`${connectParams.protocol}//${connectParams.host}`).origin);
  if (origin === undefined || isPlain(origin)) return;
  origin.line.speaksHttp2 = socket.alpnProtocol === "h2";
  origin.line.opened?.();
});

type HostRequest = Omit<RequestInit, "body"> & { body?: string; signal: AbortSignal };

/**
 * Sends a request to a host over a kept connection. A host that speaks HTTP/2 gets concurrent requests over one
 * connection. Repeats the request if the host closed a kept connection before it answered, which is no fault of the
 * host: once over a new connection and, if that one speaks HTTP/2 and breaks too, once over HTTP/1.1. All requests to
 * hosts may arrive again, those of transactions too.
 */
export async function fetchFromHost(url: string | URL, request: HostRequest): Promise<Response> {
  const origin = originOf(url);
  const { signal } = request;
  const isRepeatable = origin.hasAnswered;
  for (let repetitions = 0; ; repetitions++) {
    const line = freshLine(origin);
    if (new URL(url).protocol === "https:" && !isPlain(origin)) await firstConnection(line, signal);
    try {
      return await sent(url, request, origin, line);
    } catch (error) {
      const mayRepeat = repetitions < (line.speaksHttp2 ? 2 : 1);
      if (signal.aborted || !isRepeatable || !mayRepeat || !wasClosed(error)) throw error;
      const isOnce = repetitions === 0 && line.answers > 0;
      if (line.speaksHttp2) replaceLine(origin, line, isOnce ? 0 : plainMs);
    }
  }
}

/**
 * Returns connections that have not been idle for too long by the clock. Lambda freezes processes, and in the meantime
 * hosts and routers forget connections without a word.
 */
function freshLine(origin: Origin): Line {
  const { speaksHttp2, usedMs } = origin.line;
  if (Date.now() - usedMs > (speaksHttp2 ? idleMs : mostIdleMs)) replaceLine(origin, origin.line);
  origin.line.usedMs = Date.now();
  return origin.line;
}

/** Lets requests that are under way end over the old connections. */
function replaceLine(origin: Origin, line: Line, plainForMs = 0): void {
  if (origin.line !== line) return;
  origin.line = newLine();
  origin.plainUntilMs = Date.now() + plainForMs;
  line.dispatcher?.close().catch(() => undefined);
}

/** Lets one request open the first connection over TLS, which shows if the others can share it. */
async function firstConnection(line: Line, signal: AbortSignal): Promise<void> {
  if (line.speaksHttp2 !== undefined || signal.aborted) return;
  if (line.opening === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    line.opening = promise;
    line.opened = resolve;
    return;
  }
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
  const onAbort = () => abort();
  signal.addEventListener("abort", onAbort);
  await Promise.race([line.opening, aborted]);
  signal.removeEventListener("abort", onAbort);
}

async function sent(url: string | URL, request: HostRequest, origin: Origin, line: Line): Promise<Response> {
  const isOverPlain = isPlain(origin);
  const dispatcher = isOverPlain ? plain : line.dispatcher;
  // Node's client would send the body as a stream, and would open a connection for each request.
  const whole: Pick<Dispatcher, "dispatch"> | undefined = dispatcher && {
    dispatch: (dispatched, handler) =>
      dispatcher.dispatch(
        {
          ...dispatched,
          body: request.body ?? null,
          idempotent: !isOverPlain && line.speaksHttp2 === true,
        },
        handler,
      ),
  };
  // Differs from RequestInit, whose type of dispatchers has twenty methods that Node's client never calls.
  const init: object = whole === undefined ? request : { ...request, dispatcher: whole };
  const { answers } = line;
  const startMs = Date.now();
  try {
    const response = await fetch(url, init);
    origin.hasAnswered = true;
    if (!isOverPlain) line.answers++;
    line.usedMs = Date.now();
    return response;
  } catch (error) {
    if (!isOverPlain && isTimeUp(request.signal)) leaveIfDead(origin, line, answers, startMs);
    throw error;
  } finally {
    line.opened?.();
    if (line.speaksHttp2 === undefined) delete line.opening;
  }
}

const isTimeUp = ({ reason }: AbortSignal): boolean =>
  reason instanceof Error && reason.name === "TimeoutError";

/**
 * Leaves connections over HTTP/2 if no request was answered since the given one was sent: they would swallow each
 * further one until the kernel gives up, after a quarter of an hour. A connection of HTTP/1.1 ends with its request. The
 * end of a request from before a freeze shows nothing.
 */
function leaveIfDead(origin: Origin, line: Line, answers: number, startMs: number): void {
  const wasFrozen = Date.now() - startMs > frozenMs;
  if (!line.speaksHttp2 || line.answers > answers || wasFrozen) return;
  replaceLine(origin, line, answers > 0 ? 0 : plainMs);
}

/** Error codes of `fetch` for a connection that ended before the answer. */
const closed =
  /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ERR_HTTP2_.*|UND_ERR_INFO|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/;

const wasClosed = (error: unknown): boolean =>
  error instanceof Error && closed.test((error.cause as { code?: string } | undefined)?.code ?? "");
