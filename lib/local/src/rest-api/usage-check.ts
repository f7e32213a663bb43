import type { UsagePlans } from "../usage-plans/usage-plans.ts";
import type { Method } from "./api-definition.ts";
import type { Call } from "./call.ts";
import { GatewayFailure } from "./gateway-failure.ts";

/**
 * Counts a call against whatever limits it.
 *
 * @param apiKey the value of the caller's key, if any
 * @throws GatewayFailure INVALID_API_KEY, THROTTLED or QUOTA_EXCEEDED
 */
export function checkUsage(
  { context }: Call,
  { name, apiKeyRequired, throttle }: Method,
  apiKey: string | undefined,
  usagePlans: UsagePlans,
): void {
  const admission = usagePlans.admit({
    apiId: context.apiId,
    stage: context.stage,
    method: name,
    ...(apiKeyRequired && { apiKey: { value: apiKey } }),
    throttle,
  });
  if (admission.admitted) return;
  throw new GatewayFailure(admission.refusal, "reason" in admission ? { reason: admission.reason } : {});
}

/** The call with the key in its context, value and id, as an authorizer and a function get it. */
export function withApiKey(call: Call, apiKey: string | undefined, usagePlans: UsagePlans): Call {
  const apiKeyId = apiKey && usagePlans.identify(apiKey);
  if (!apiKey || !apiKeyId) return call;
  const identity = { ...call.context.identity, apiKey, apiKeyId };
  return { ...call, context: { ...call.context, identity } };
}
