import { notEmulated, type ResolvedResource, readProperties } from "../cloudformation/resource.ts";
import type { Handle, Pair } from "../http/messages.ts";
import { wildcard } from "../wildcard.ts";
import * as schemas from "./property-schemas.ts";

/** An API that a distribution can have as an origin. */
export type OriginServer = {
  domainName: string;
  /** The first segment of every path there. */
  stage: string;
  /** Whether it takes WebSocket connections. */
  opensSockets: boolean;
  /** Answers requests whose path comes without the stage. */
  answer: Handle;
};

/** A distribution as its template describes it. */
export type DistributionDefinition = {
  /** In the order in which they are tried. The last one matches every path. */
  behaviors: readonly Behavior[];
  /** How long an answer with that status to GET or HEAD is kept, in milliseconds. */
  errorTtlMs: ReadonlyMap<number, number>;
};

export type Behavior = {
  matches: (path: string) => boolean;
  methods: ReadonlySet<string>;
  origin: Origin;
};

export type Origin = {
  domainName: string;
  server: OriginServer;
  /** In front of the path of each request: empty, or a slash and more. */
  path: string;
  /** They replace headers of the same name. */
  headers: readonly Pair[];
};

/** Documented: statuses of answers to GET and HEAD that are kept whatever the cache policy says. */
const keptStatuses = [404, 414, 500, 501, 502, 503, 504];

/** @throws StartupError that names the distribution and the part of it that is not emulated */
export function readDistribution(
  resource: ResolvedResource,
  servers: readonly OriginServer[],
): DistributionDefinition {
  const { DistributionConfig: config } = readProperties(schemas.distribution, resource);
  const origins = new Map(
    config.Origins.map(({ Id, DomainName, OriginPath, OriginCustomHeaders }): [string, Origin] => {
      const headers = OriginCustomHeaders.map(
        ({ HeaderName, HeaderValue }): Pair => [HeaderName, HeaderValue],
      );
      const server = servers.find(({ domainName }) => domainName === DomainName);
      if (server === undefined) throw notEmulated(resource, `the origin ${DomainName}, which is no API here`);
      return [Id, { domainName: DomainName, server, path: OriginPath, headers }];
    }),
  );
  const originOf = (id: string) => {
    const origin = origins.get(id);
    if (origin === undefined) throw notEmulated(resource, `a behavior of the unknown origin ${id}`);
    return origin;
  };
  const { DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses } = config;
  const behaviors = [...CacheBehaviors, { ...DefaultCacheBehavior, PathPattern: "*" }];
  const ttls = new Map(
    CustomErrorResponses.map(({ ErrorCode, ErrorCachingMinTTL }) => [
      ErrorCode as number,
      ErrorCachingMinTTL,
    ]),
  );
  return {
    behaviors: behaviors.map(({ PathPattern, AllowedMethods, TargetOriginId }) => ({
      matches: pathMatcher(PathPattern),
      methods: new Set<string>(AllowedMethods),
      origin: originOf(TargetOriginId),
    })),
    errorTtlMs: new Map(keptStatuses.map((status) => [status, (ttls.get(status) ?? 10) * 1000])),
  };
}

/** Documented: `*` stands for any characters, `?` for one, case counts, and the slash in front may be left out. */
function pathMatcher(pattern: string): Behavior["matches"] {
  const expression = wildcard(`/${pattern.replace(/^\//, "")}`);
  return (path) => pattern === "*" || expression.test(path);
}
