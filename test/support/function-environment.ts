import { defaultChains } from "../../lib/infra/default-chains.ts";

/** What the stack sets for its functions. Those that push get an endpoint besides. */
export const functionEnvironment: Readonly<Record<string, string>> = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  TABLE_NAME: "table",
  KEY_ID: "arn:aws:kms:us-east-1:000000000000:key/test",
  MAC_KEY_ID: "arn:aws:kms:us-east-1:000000000000:key/mac",
  ALLOWED_ORIGINS: JSON.stringify(["https://app.example", "https://other.example"]),
  WALLET_LIMITS: JSON.stringify({ Base: 10, Pro: 50, Enterprise: 500 }),
  ISSUER: "https://id.example/",
  AUDIENCE: "terminal",
  JWKS_URI: "https://id.example/keys",
  COOKIE_NAME: "access_token",
  CHANNEL_SHARDS: "4",
  CONNECTIONS_PER_USER: "30",
  DELIVER_FUNCTION: "deliver",
  CATCH_UP_FUNCTION: "catchUp",
  EXECUTE_ORDERS_FUNCTION: "executeOrders",
  FALLBACK_KEY: "0123456789abcdef0123456789abcdef",
  PLAN_PREFIX: "terminal/",
  STANDARD_PLAN_ID: "standard",
  PRO_PLAN_ID: "pro",
  KEY_GRACE_SECONDS: "120",
  TRADING: JSON.stringify(defaultChains),
  PLAN_STAGES: JSON.stringify([{ apiId: "Rest", stage: "live" }]),
};
