import * as v from "valibot";

/** Schemas are strict, so that no property is ignored silently. */
const methods = v.array(v.picklist(["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"]));

/** Accepts only this managed policy of AWS. */
const managed = (id: string, name: string) => v.literal(id, `only the managed policy ${name}`);

/** Behaviors cache nothing but errors, so `CachedMethods` has no effect. */
const behavior = {
  AllowedMethods: v.optional(methods, ["GET", "HEAD"]),
  CachedMethods: v.optional(methods),
  CachePolicyId: managed("4135ea2d-6df8-44a3-9df3-4b5a84be39ad", "CachingDisabled"),
  Compress: v.optional(v.literal(false), false),
  OriginRequestPolicyId: managed("b689b0a8-53d0-40ab-baf2-68738e2966ac", "AllViewerExceptHostHeader"),
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
  CustomOriginConfig: v.looseObject({ OriginProtocolPolicy: v.literal("https-only") }),
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
