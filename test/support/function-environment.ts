import { defaultChains } from "../../lib/infra/default-chains.ts";

/** An address where nothing listens, so that no test reaches a real network. */
const nowhere = "http://127.0.0.1:1";

const chains = Object.fromEntries(
  Object.entries(defaultChains).map(([chain, { relay, ...contracts }]) => [
    chain,
    { ...contracts, hosts: [nowhere, nowhere], ...(relay && { relay: nowhere }) },
  ]),
);

/** Variables that the stack sets for its functions. Functions that push messages also get an endpoint. */
export const functionEnvironment: Readonly<Record<string, string>> = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  TABLE_NAME: "table",
  TRANSACTION_PARTITIONS: "",
  KEY_ID: "arn:aws:kms:us-east-1:000000000000:key/test",
  IMPORT_KEYS: ["1", "2"].map((id) => `arn:aws:kms:us-east-1:000000000000:key/import${id}`).join(),
  MAC_KEY_ID: "arn:aws:kms:us-east-1:000000000000:key/mac",
  TABLE_ID: "arn:aws:dynamodb:us-east-1:000000000000:table/table/stream/1",
  ALLOWED_ORIGINS: JSON.stringify(["https://app.example", "https://other.example"]),
  WALLET_LIMITS: JSON.stringify({ Base: 10, Pro: 50, Enterprise: 500 }),
  ISSUER: "https://id.example/",
  AUDIENCE: "terminal",
  JWKS_URI: "https://id.example/keys",
  MAX_TOKEN_SECONDS: "90000",
  COOKIE_NAME: "access_token",
  BARE_COOKIE: "false",
  COOKIE_SAME_SITE: "Strict",
  ORIGIN_KEYS: "",
  EDGE_ONLY: "false",
  CHANNEL_SHARDS: "4",
  LANE_SHARDS: "2",
  READS_ONE_CHAIN: "false",
  MARKET_CHAINS: JSON.stringify(["eth", "base"]),
  PRICE_FEEDS: "[]",
  CONNECTIONS_PER_USER: "30",
  DELIVER_FUNCTION: "deliver",
  CATCH_UP_FUNCTION: "catchUp",
  FEED_PRICES_FUNCTION: "feedPrices",
  EXECUTE_ORDERS_FUNCTION: "executeOrders",
  SEAL_EXPORT_FUNCTION: "sealExport",
  LOOSEN_GUARDS_FUNCTION: "loosenGuards",
  EXPORT_DELAY_SECONDS: "86400",
  LOSS_SIGN_IN: "true",
  NOTICE_BUS_ARN: "",
  SIGN_TRANSACTION_FUNCTION: "signTransaction",
  READ_CHAINS_FUNCTION: "readChains",
  READ_MARKETS_FUNCTION: "readMarkets",
  LOAD_HISTORY_FUNCTION: "loadHistory",
  SHARED_KEY: "0123456789abcdef0123456789abcdef",
  FALLBACK_KEYS: "500",
  FALLBACK_PREFIX: "terminal/fallback/",
  PLAN_PREFIX: "terminal/",
  STANDARD_PLAN_ID: "standard",
  PRO_PLAN_ID: "pro",
  FALLBACK_PLAN_ID: "fallback",
  KEY_GRACE_SECONDS: "120",
  TRADING: JSON.stringify(chains),
  PLAN_STAGES: JSON.stringify([{ apiId: "Rest", stage: "live" }]),
};
