import { signingConfigurationOf } from "../../chains/families/configuration.ts";
import { scopesOfMethods } from "../../operations/operations.ts";
import type { EnvName, Operation } from "../../operations/types.ts";
import type { Issuer } from "../../runtime/token-verifier.ts";
import type { Configuration } from "../configuration.ts";

/** Values of all variables that rows may list, in the form that lib/runtime/environment.ts reads. */
export type Environment = Readonly<Record<EnvName, string>>;

/** Variables that describe the usage plans. */
export type PlanEnvironment = Pick<
  Environment,
  | "SHARED_KEY"
  | "FALLBACK_PREFIX"
  | "FALLBACK_PLAN_ID"
  | "PLAN_STAGES"
  | "PLAN_PREFIX"
  | "STANDARD_PLAN_ID"
  | "PRO_PLAN_ID"
>;

/** Variables that go into the code, because they may exceed Lambda's limit of 4 KB. */
const inCode: ReadonlySet<EnvName> = new Set<EnvName>(["TRADING", "SIGNING", "SCOPES", "EARNING"]);

/** Splits a row's variables between the function's environment and its code. */
export function variablesOf({ env }: Pick<Operation, "env">, environment: Environment) {
  const [inBundle = {}, inFunction = {}] = [true, false].map((bundled) =>
    Object.fromEntries(
      env.filter((name) => inCode.has(name) === bundled).map((name) => [name, environment[name]]),
    ),
  );
  return { inBundle, inFunction };
}

type FromResources = {
  originKeys: readonly string[];
  tableId: string;
  noticeBusArn?: string | undefined;
  retryQueueUrl?: string | undefined;
};

export function environmentOf(
  configuration: Configuration,
  { issuer, audience, jwksUri }: Issuer,
  plans: PlanEnvironment,
  { originKeys, tableId, noticeBusArn = "", retryQueueUrl = "" }: FromResources,
): Environment {
  const { allowedOrigins, walletLimits, cookieName, channelShards, connectionsPerUser } = configuration;
  const { priceFeeds, keyGraceSeconds, trading } = configuration;
  return {
    ALLOWED_ORIGINS: JSON.stringify(allowedOrigins),
    WALLET_LIMITS: JSON.stringify(walletLimits),
    ISSUER: issuer,
    AUDIENCE: audience,
    JWKS_URI: jwksUri,
    MAX_TOKEN_SECONDS: String(configuration.maxTokenSeconds),
    COOKIE_NAME: cookieName,
    BARE_COOKIE: JSON.stringify(configuration.bareCookie),
    ORIGIN_KEYS: originKeys.join(),
    EDGE_ONLY: JSON.stringify(configuration.edgeOnly),
    SCOPES: JSON.stringify(scopesOfMethods),
    COOKIE_SAME_SITE: configuration.cookieSameSite,
    CHANNEL_SHARDS: String(channelShards),
    CONNECTIONS_PER_USER: String(connectionsPerUser),
    PRICE_FEEDS: JSON.stringify(priceFeeds),
    FALLBACK_KEYS: String(configuration.fallbackKeys),
    PRICES_EVERY_SECONDS: String(configuration.pricesEverySeconds),
    KEY_GRACE_SECONDS: String(keyGraceSeconds),
    TABLE_ID: tableId,
    EXPORT_DELAY_SECONDS: String(configuration.exportDelaySeconds),
    LOSS_SIGN_IN: JSON.stringify(configuration.lossSignIn),
    FAST_TRIGGERS: JSON.stringify(configuration.fastTriggers),
    NOTICE_BUS_ARN: noticeBusArn,
    RETRY_QUEUE_URL: retryQueueUrl,
    LANE_SHARDS: String(configuration.laneShards),
    READS_ONE_CHAIN: JSON.stringify(configuration.readChainsPerChain),
    MARKET_CHAINS: JSON.stringify(configuration.markets ? Object.keys(trading) : []),
    HOST_KEYS: configuration.hostKeys ?? "",
    MARKET_TOKENS: JSON.stringify(configuration.marketTokens),
    EARNING: JSON.stringify(configuration.earning ?? null),
    RECORDS_EARNINGS: JSON.stringify(configuration.earning !== undefined),
    TRADING: JSON.stringify(trading),
    SIGNING: JSON.stringify(signingConfigurationOf(trading)),
    ...plans,
  };
}
