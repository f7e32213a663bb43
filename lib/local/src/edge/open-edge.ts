import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { BucketServer } from "../buckets/buckets.ts";
import { type ApiPlace, hostOf } from "../cloudformation/apis.ts";
import { type Resource, resolved } from "../cloudformation/resource.ts";
import { generatedName, viewerFunctionArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { readRequest, refuseUpgrade } from "../http/exchange.ts";
import type { Handle } from "../http/messages.ts";
import type { RestApi } from "../rest-api/rest-api.ts";
import { StartupError } from "../startup-error.ts";
import type { StreamServer } from "../websocket-api/stream-server.ts";
import { upgradeRequired } from "../websocket-api/upgrade.ts";
import type { WebSocketApi } from "../websocket-api/websocket-api.ts";
import type { OriginServer } from "./definition.ts";
import { createEdge } from "./edge.ts";
import { readResponseHeaders } from "./response-headers.ts";
import { readViewerFunction } from "./viewer-function.ts";

/** The distribution, served on a port. */
export type ServedEdge = {
  answer: Handle;
  /** True if a request opens a WebSocket connection. */
  upgrades(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
};

/**
 * Opens the distribution of the stacks, if they have one.
 *
 * @throws {StartupError} if there are several, or a part of one is not emulated
 */
export function openEdge(
  resources: Resources,
  rest: RestApi,
  stream: WebSocketApi | undefined,
  streams: StreamServer,
  buckets: readonly BucketServer[],
): ServedEdge | undefined {
  const [distribution, ...others] = resources.ofType("AWS::CloudFront::Distribution");
  if (distribution === undefined) return undefined;
  if (others.length > 0) throw new StartupError("There are several distributions, but only one base URL.");
  const servers: OriginServer[] = [];
  if (rest.place) servers.push({ ...at(rest.place), opensSockets: false, answer: rest.handle });
  if (stream) servers.push({ ...at(stream.place), opensSockets: true, answer: async () => upgradeRequired });
  for (const { domainName, answer } of buckets)
    servers.push({
      domainName,
      stage: undefined,
      opensSockets: false,
      answer: async (request) => answer(request),
    });
  const parts = {
    viewerFunctions: byName("AWS::CloudFront::Function", viewerFunctionArn, readViewerFunction),
    responseHeaders: byName("AWS::CloudFront::ResponseHeadersPolicy", generatedName, readResponseHeaders),
  };
  const edge = createEdge({ distribution: resolved(distribution), servers, parts });

  function byName<Part>(type: string, nameOf: (part: Resource) => string, read: (part: Resource) => Part) {
    return new Map(resources.ofType(type).map((part) => [nameOf(part), read(part)]));
  }

  return {
    answer: edge.answer,
    upgrades: ({ url = "/", headers: { upgrade } }) =>
      edge.opensSocketsAt(url) && upgrade?.toLowerCase() === "websocket",
    upgrade(request, socket, head) {
      const found = edge.forward(readRequest(request, Buffer.alloc(0)));
      if ("refusal" in found) return refuseUpgrade(request, edge.toViewer(found.refusal));
      streams.upgrade(request, socket, head, { request: found.request, toViewer: edge.toViewer });
    },
  };
}

const at = (place: ApiPlace) => ({ domainName: hostOf(place), stage: place.stage });
