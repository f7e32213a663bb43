import * as v from "valibot";

/** Schemas are strict, so that no property is ignored silently. */
const methods = v.array(v.picklist(["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"]));

/** Managed policies of AWS. An API's behavior has the first two, and a bucket's has the last one. */
export const policies = {
  cachingDisabled: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
  allViewerExceptHostHeader: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
  cachingOptimized: "658327ea-f89d-4fab-a63d-7e88639e58f6",
} as const;

/** Behaviors of APIs cache nothing but errors, and files never change in a run, so `CachedMethods` has no effect. */
const behavior = {
  AllowedMethods: v.optional(methods, ["GET", "HEAD"]),
  CachedMethods: v.optional(methods),
  CachePolicyId: v.picklist(
    [policies.cachingDisabled, policies.cachingOptimized],
    "only the managed policies CachingDisabled and CachingOptimized",
  ),
  Compress: v.optional(v.boolean(), false),
  FunctionAssociations: v.optional(
    v.array(v.strictObject({ EventType: v.literal("viewer-request"), FunctionARN: v.string() })),
    [],
  ),
  OriginRequestPolicyId: v.optional(
    v.literal(policies.allViewerExceptHostHeader, "only the managed policy AllViewerExceptHostHeader"),
  ),
  ResponseHeadersPolicyId: v.optional(v.string()),
  TargetOriginId: v.string(),
  // Accepts any value without effect, because the runner serves plain HTTP.
  ViewerProtocolPolicy: v.picklist(["https-only", "redirect-to-https", "allow-all"]),
};

const origin = v.strictObject({
  Id: v.string(),
  DomainName: v.string(),
  OriginPath: v.optional(v.pipe(v.string(), v.regex(/^(\/.*[^/])?$/)), ""),
  OriginCustomHeaders: v.optional(
    v.array(v.strictObject({ HeaderName: v.string(), HeaderValue: v.string() })),
    [],
  ),
  CustomOriginConfig: v.optional(v.looseObject({ OriginProtocolPolicy: v.literal("https-only") })),
  // Marks a bucket, which only this distribution can read.
  OriginAccessControlId: v.optional(v.string()),
  S3OriginConfig: v.optional(v.strictObject({ OriginAccessIdentity: v.literal("") })),
});

/** A custom error response without a page. It only sets how long an error is cached. */
const errorResponse = v.strictObject({
  ErrorCode: v.picklist([400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]),
  ErrorCachingMinTTL: v.optional(v.number(), 10),
});

export const distribution = v.strictObject({
  DistributionConfig: v.strictObject({
    Enabled: v.literal(true),
    Origins: v.array(origin),
    DefaultCacheBehavior: v.strictObject(behavior),
    CacheBehaviors: v.optional(v.array(v.strictObject({ ...behavior, PathPattern: v.string() })), []),
    CustomErrorResponses: v.optional(v.array(errorResponse), []),
    // Properties for DNS names, TLS and the network between clients and AWS, without effect here.
    Aliases: v.optional(v.array(v.string())),
    Comment: v.optional(v.string()),
    HttpVersion: v.optional(v.string()),
    IPV6Enabled: v.optional(v.boolean()),
    PriceClass: v.optional(v.string()),
    ViewerCertificate: v.optional(v.unknown()),
  }),
  Tags: v.optional(v.unknown()),
});
