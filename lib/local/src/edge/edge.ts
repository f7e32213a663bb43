import type { ResolvedResource } from "../cloudformation/resource.ts";
import { largeHeaders } from "../http/exchange.ts";
import {
  type GatewayRequest,
  type GatewayResponse,
  type Handle,
  json,
  type Pair,
  toWire,
  withOverrides,
} from "../http/messages.ts";
import { compressedFile } from "./compression.ts";
import { type Behavior, type DistributionParts, type OriginServer, readDistribution } from "./definition.ts";
import { asksForSocket, newCloudFrontId, originRequest } from "./origin-request.ts";

/** A request to an origin, or CloudFront's own answer to it. */
type Forwarded = { origin: OriginServer; request: GatewayRequest } | { refusal: GatewayResponse };

/** A CloudFront distribution in front of APIs and buckets. */
export type Edge = {
  answer: Handle;
  /** True if a WebSocket connection can be opened at this target. */
  opensSocketsAt(target: string): boolean;
  forward(request: GatewayRequest): Forwarded;
  /** Adds the headers of CloudFront to an answer. */
  toViewer: (answer: GatewayResponse) => GatewayResponse;
};

export type EdgeOptions = {
  distribution: ResolvedResource;
  /** All APIs and buckets of the stacks. */
  servers: readonly OriginServer[];
  parts?: DistributionParts;
  now?: () => number;
};

const URL_BYTES = 8192;

const noParts: DistributionParts = { viewerFunctions: new Map(), responseHeaders: new Map() };

/** @throws {StartupError} if a part of the distribution is not emulated; the message names both */
export function createEdge({ distribution, servers, parts = noParts, now = Date.now }: EdgeOptions): Edge {
  const { behaviors, errorTtlMs } = readDistribution(distribution, servers, parts);
  const via = `1.1 ${distribution.logicalId.toLowerCase()}.cloudfront.net (CloudFront)`;
  const cached = new Map<string, { answer: GatewayResponse; until: number; since: number }>();
  const behaviorOf = (target: string) => behaviors.find(({ matches }) => matches(pathIn(target))) as Behavior;

  function forward(request: GatewayRequest): Forwarded {
    const asked = originForm(request.target);
    const { methods, origin, viewerFunction } = behaviorOf(asked);
    const refusal = refusalOf(request, methods);
    if (refusal) return { refusal };
    const viewed = viewerFunction?.(request, asked) ?? { target: asked };
    if ("status" in viewed) return { refusal: viewed };
    const { target } = viewed;
    const { server } = origin;
    // Sends a bucket only the path and conditions.
    if (server.stage === undefined)
      return { origin: server, request: { ...request, target: origin.path + pathIn(target) } };
    const opensSocket = server.opensSockets && asksForSocket(request);
    const forwarded = originRequest(request, origin, { target: origin.path + target, via, opensSocket });
    // Counts the headers that CloudFront adds as well, like the origin.
    const large = largeHeaders(forwarded.headers.flatMap(([name, value]) => [name, toWire(value)]));
    if (large) return { refusal: large };
    const inStage = withoutStage(forwarded.target, server.stage);
    if (inStage === undefined) return { refusal: json(403, { message: "Forbidden" }) };
    return { origin: server, request: { ...forwarded, target: inStage } };
  }

  const withEdgeHeaders = (
    { headers, ...answer }: GatewayResponse,
    cacheStatus: string,
    ...others: Pair[]
  ): GatewayResponse => ({
    ...answer,
    headers: [
      ...headers,
      ["X-Cache", `${cacheStatus} from cloudfront`],
      ["Via", via],
      ["X-Amz-Cf-Pop", "LOCAL1-C1"],
      ["X-Amz-Cf-Id", newCloudFrontId()],
      ...others,
    ],
  });

  const toViewer = (answer: GatewayResponse) =>
    withEdgeHeaders(answer, answer.status < 400 ? "Miss" : "Error");

  return {
    forward,
    toViewer,
    opensSocketsAt: (target) => behaviorOf(originForm(target)).origin.server.opensSockets,
    async answer(request) {
      const found = forward(request);
      if ("refusal" in found) return toViewer(found.refusal);
      // Ignores query, headers and cookies in the cache key, as with CachingDisabled, so that users share cached
      // errors.
      const key = `${request.method} ${pathIn(originForm(request.target))}`;
      const error = cached.get(key);
      if (error && now() < error.until) {
        return withEdgeHeaders(error.answer, "Error", [
          "Age",
          String(Math.floor((now() - error.since) / 1000)),
        ]);
      }
      cached.delete(key);
      const answer = await found.origin.answer(found.request);
      const ttlMs = ["GET", "HEAD"].includes(request.method) ? (errorTtlMs.get(answer.status) ?? 0) : 0;
      if (ttlMs > 0) cached.set(key, { answer, since: now(), until: now() + ttlMs });
      const { responseHeaders, compresses } = behaviorOf(originForm(request.target));
      const sent = compresses ? compressedFile(answer, request) : answer;
      return toViewer({ ...sent, headers: withOverrides(sent.headers, responseHeaders) });
    },
  };
}

/** Refuses a request that CloudFront does not forward. */
function refusalOf(
  { method, target, body }: GatewayRequest,
  methods: ReadonlySet<string>,
): GatewayResponse | undefined {
  if (Buffer.byteLength(target) > URL_BYTES) return page(414, "Request URI too long", "Bad request.");
  if (!methods.has(method)) {
    const text = "This distribution is not configured to allow the HTTP request method that was used.";
    return page(403, "The request could not be satisfied", text);
  }
  if (method === "GET" && body.length > 0) {
    return page(403, "The request could not be satisfied", "Bad request.");
  }
  return undefined;
}

/** Builds an error page. Documented: CloudFront's errors are pages, without CORS headers. */
function page(status: number, title: string, text: string): GatewayResponse {
  const body = `<!DOCTYPE HTML>
<HTML><HEAD><TITLE>ERROR: ${title}</TITLE></HEAD><BODY>
<H1>${status} ERROR</H1>
<H2>${title}.</H2>
<HR>
${text}
<PRE>Generated by cloudfront (CloudFront)</PRE>
</BODY></HTML>
`;
  return {
    status,
    headers: [
      ["Server", "CloudFront"],
      ["Content-Type", "text/html"],
    ],
    body: Buffer.from(body),
  };
}

/** Removes scheme and host, which clients of proxies send. */
const originForm = (target: string) => target.replace(/^https?:\/\/[^/?]*/i, "").replace(/^(?!\/)/, "/");

const pathIn = (target: string) => target.split("?", 1)[0] ?? "";

/** Removes the stage from a target. Undefined if the path is not in the stage. */
function withoutStage(target: string, stage: string): string | undefined {
  const path = pathIn(target);
  if (path !== `/${stage}` && !path.startsWith(`/${stage}/`)) return undefined;
  return target.slice(`/${stage}`.length).replace(/^(?!\/)/, "/");
}
