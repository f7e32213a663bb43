import type * as v from "valibot";
import { notEmulated, type ResolvedResource, readProperties } from "../cloudformation/resource.ts";
import type { Handle, Pair } from "../http/messages.ts";
import { wildcard } from "../wildcard.ts";
import * as schemas from "./property-schemas.ts";
import type { ViewerFunction } from "./viewer-function.ts";

/** An API or a bucket, which can be a distribution's origin. */
export type OriginServer = {
  domainName: string;
  /** Stage, which is the first segment of all paths of an API. Undefined for a bucket. */
  stage: string | undefined;
  /** True if it accepts WebSocket connections. */
  opensSockets: boolean;
  /** Answers requests whose paths lack the stage. */
  answer: Handle;
};

/** A distribution, as its template describes it. */
export type DistributionDefinition = {
  /** Behaviors in the order in which they are tried. The last one matches every path. */
  behaviors: readonly Behavior[];
  /** Milliseconds for which answers to GET or HEAD with each status are cached. */
  errorTtlMs: ReadonlyMap<number, number>;
};

export type Behavior = {
  matches: (path: string) => boolean;
  methods: ReadonlySet<string>;
  origin: Origin;
  viewerFunction: ViewerFunction | undefined;
  /** Headers to add to each answer. Each replaces all headers of the same name. */
  responseHeaders: readonly Pair[];
  compresses: boolean;
};

/** Parts of a distribution that are resources of their own, by what its template calls them. */
export type DistributionParts = {
  viewerFunctions: ReadonlyMap<string, ViewerFunction>;
  responseHeaders: ReadonlyMap<string, readonly Pair[]>;
};

export type Origin = {
  domainName: string;
  server: OriginServer;
  /** Prefix of each request's path, either empty or starting with a slash. */
  path: string;
  /** Headers to add. Each replaces all headers of the same name. */
  headers: readonly Pair[];
};

/** Documented: answers to GET and HEAD with these statuses are cached under any cache policy. */
const cachedStatuses = [404, 414, 500, 501, 502, 503, 504];

/** @throws {StartupError} if a part of the distribution is not emulated; the message names both */
export function readDistribution(
  resource: ResolvedResource,
  servers: readonly OriginServer[],
  parts: DistributionParts,
): DistributionDefinition {
  const { DistributionConfig: config } = readProperties(schemas.distribution, resource);
  const origins = new Map(
    config.Origins.map(({ Id, DomainName, OriginPath, OriginCustomHeaders }): [string, Origin] => {
      const headers = OriginCustomHeaders.map(
        ({ HeaderName, HeaderValue }): Pair => [HeaderName, HeaderValue],
      );
      const server = servers.find(({ domainName }) => domainName === DomainName);
      if (server === undefined)
        throw notEmulated(resource, `the origin ${DomainName}, which is no API or bucket of these stacks`);
      return [Id, { domainName: DomainName, server, path: OriginPath, headers }];
    }),
  );
  const originOf = (id: string) => {
    const origin = origins.get(id);
    if (origin === undefined) throw notEmulated(resource, `a behavior with the unknown origin ${id}`);
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
    behaviors: behaviors.map((behavior) => {
      const origin = originOf(behavior.TargetOriginId);
      const problem = problemOf(behavior, origin);
      if (problem !== undefined) throw notEmulated(resource, `${behavior.PathPattern}: ${problem}`);
      const [{ FunctionARN } = { FunctionARN: "" }] = behavior.FunctionAssociations;
      return {
        matches: pathMatcher(behavior.PathPattern),
        methods: new Set<string>(behavior.AllowedMethods),
        origin,
        viewerFunction: parts.viewerFunctions.get(FunctionARN),
        responseHeaders: parts.responseHeaders.get(behavior.ResponseHeadersPolicyId ?? "") ?? [],
        compresses: behavior.Compress,
      };
    }),
    errorTtlMs: new Map(cachedStatuses.map((status) => [status, (ttls.get(status) ?? 10) * 1000])),
  };
}

type Policies = Pick<
  v.InferOutput<typeof schemas.distribution>["DistributionConfig"]["DefaultCacheBehavior"],
  "CachePolicyId" | "OriginRequestPolicyId" | "Compress"
>;

/** Finds policies that the runner would not carry out at this origin. */
function problemOf(behavior: Policies, { server }: Origin): string | undefined {
  const { CachePolicyId, OriginRequestPolicyId, Compress } = behavior;
  const isUncached = CachePolicyId === schemas.policies.cachingDisabled;
  if (server.stage === undefined)
    return isUncached || OriginRequestPolicyId ? "a bucket without CachingOptimized alone" : undefined;
  if (!isUncached) return "a cache in front of an API";
  if (!OriginRequestPolicyId) return "an API without the policy AllViewerExceptHostHeader";
  return Compress ? "compression of an API's answers" : undefined;
}

/**
 * Matches a path pattern. Documented: `*` stands for any characters, `?` for one; patterns are case-sensitive, and the
 * first slash may be left out.
 */
function pathMatcher(pattern: string): Behavior["matches"] {
  const expression = wildcard(`/${pattern.replace(/^\//, "")}`);
  return (path) => pattern === "*" || expression.test(path);
}
