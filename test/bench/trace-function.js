// Follows a function: the benchmark appends this file to the function's bundle. Logs the function's starts, and its
// requests to AWS and to hosts with their times.
import { subscribe } from "node:diagnostics_channel";

/** Time without requests after which a process logs what it has seen, so that logging delays no order. */
const quietMs = 1500;

/** @type {Map<object, { what: string, from: number, to?: number }>} */
const spans = new Map();
/** @type {NodeJS.Timeout | undefined} */
let timer;

const nowMs = () => performance.timeOrigin + performance.now();

function log() {
  for (const span of spans.values()) console.log(`bench-trace ${JSON.stringify(span)}`);
  spans.clear();
}

/** @type {(key: object, what: string) => void} */
function begin(key, what) {
  spans.set(key, { what, from: nowMs() });
  clearTimeout(timer);
  timer = setTimeout(log, quietMs);
}

/** @type {(key: object) => void} */
function end(key) {
  const span = spans.get(key);
  if (span !== undefined) span.to = nowMs();
}

process.on("message", () => begin({}, "begins"));
subscribe("http.client.request.start", (message) => {
  const { request } = /** @type {{ request: import("node:http").ClientRequest }} */ (message);
  const [, invoked] = /-([a-zA-Z]+)Function\w+\/invocations/.exec(decodeURIComponent(request.path)) ?? [];
  const [, action] = `${request.getHeader("X-Amz-Target")}`.split(".");
  const isEvent = request.getHeader("X-Amz-Invocation-Type") === "Event";
  begin(request, invoked === undefined ? `${action}` : `${isEvent ? "queues" : "invokes"} ${invoked}`);
});
subscribe("http.client.response.finish", (message) => {
  end(/** @type {{ request: object }} */ (message).request);
});
subscribe("undici:request:create", (message) => {
  const { request } = /** @type {{ request: { origin: string } }} */ (message);
  begin(request, `asks ${new URL(request.origin).port}`);
});
subscribe("undici:request:trailers", (message) => {
  end(/** @type {{ request: object }} */ (message).request);
});
