import * as v from "valibot";
import { type Resource, readProperties, resolved } from "../cloudformation/resource.ts";
import type { Pair } from "../http/messages.ts";

/** The only way in which headers are added: in place of the origin's. */
const Override = v.literal(true, "only true");

const Properties = v.strictObject({
  ResponseHeadersPolicyConfig: v.strictObject({
    Name: v.string(),
    Comment: v.optional(v.string()),
    CustomHeadersConfig: v.optional(
      v.strictObject({
        Items: v.array(v.strictObject({ Header: v.string(), Value: v.string(), Override })),
      }),
      { Items: [] },
    ),
    SecurityHeadersConfig: v.optional(
      v.strictObject({
        ContentSecurityPolicy: v.optional(v.strictObject({ ContentSecurityPolicy: v.string(), Override })),
        ContentTypeOptions: v.optional(v.strictObject({ Override })),
        FrameOptions: v.optional(v.strictObject({ FrameOption: v.string(), Override })),
        ReferrerPolicy: v.optional(v.strictObject({ ReferrerPolicy: v.string(), Override })),
        StrictTransportSecurity: v.optional(v.strictObject({ AccessControlMaxAgeSec: v.number(), Override })),
      }),
      {},
    ),
  }),
});

/**
 * Reads the headers that a policy adds to all answers.
 *
 * @throws {StartupError} if a part of the policy is not emulated
 */
export function readResponseHeaders(resource: Resource): Pair[] {
  const { ResponseHeadersPolicyConfig: config } = readProperties(Properties, resolved(resource));
  const { ContentSecurityPolicy, ContentTypeOptions, FrameOptions, ReferrerPolicy, StrictTransportSecurity } =
    config.SecurityHeadersConfig;
  const security: Record<string, string | undefined> = {
    "Content-Security-Policy": ContentSecurityPolicy?.ContentSecurityPolicy,
    "X-Content-Type-Options": ContentTypeOptions && "nosniff",
    "X-Frame-Options": FrameOptions?.FrameOption,
    "Referrer-Policy": ReferrerPolicy?.ReferrerPolicy,
    "Strict-Transport-Security":
      StrictTransportSecurity && `max-age=${StrictTransportSecurity.AccessControlMaxAgeSec}`,
  };
  return [
    ...Object.entries(security).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ...config.CustomHeadersConfig.Items.map(({ Header, Value }): Pair => [Header, Value]),
  ];
}
