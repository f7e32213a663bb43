import type { EnvName } from "../operation-types.ts";
import type { Issuer } from "../runtime/token-verifier.ts";
import type { Configuration } from "./config.ts";
import type { PlanEnvironment } from "./constructs/standing-plans.ts";

/** The value of every setting that a row of the table of operations may ask for. */
export type Environment = Readonly<Record<EnvName, string>>;

export function environmentOf(
  { allowedOrigins, walletLimits, cookieName, channelShards, priceFeeds, keyGraceSeconds }: Configuration,
  { issuer, audience, jwksUri }: Issuer,
  plans: PlanEnvironment,
): Environment {
  return {
    ALLOWED_ORIGINS: JSON.stringify(allowedOrigins),
    WALLET_LIMITS: JSON.stringify(walletLimits),
    ISSUER: issuer,
    AUDIENCE: audience,
    JWKS_URI: jwksUri,
    COOKIE_NAME: cookieName,
    CHANNEL_SHARDS: String(channelShards),
    PRICE_FEEDS: JSON.stringify(priceFeeds),
    KEY_GRACE_SECONDS: String(keyGraceSeconds),
    ...plans,
  };
}
