import { App } from "aws-cdk-lib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signingConfigurationOf } from "../../lib/chains/families/configuration.ts";
import { readConfiguration } from "../../lib/infra/config.ts";
import { defaultChains } from "../../lib/infra/default-chains.ts";
import { environmentOf, variablesOf } from "../../lib/infra/functions/variables.ts";
import { operations, scopesOfMethods } from "../../lib/operations/operations.ts";
import type { EnvName } from "../../lib/operations/types.ts";
import { environment } from "../../lib/runtime/environment.ts";

const context = {
  allowedOrigins: ["https://app.example", "http://localhost:5173"],
  walletLimits: { Pro: 60 },
  maxTokenSeconds: 3600,
  cookieName: "session",
  bareCookie: true,
  cookieSameSite: "None",
  channelShards: 7,
  connectionsPerUser: 3,
  priceFeeds: [{ source: "near", venue: "kraken", url: "ws://127.0.0.1:4000/v2" }],
  fallbackKeys: 40,
  keyGraceSeconds: 0,
  laneShards: 16,
  readChainsPerChain: true,
  marketTokens: { base: 400 },
  trading: ["base"],
  earning: { pointsPerDollar: 0.25 },
  publicHosts: true,
  edgeOnly: true,
};
const issuer = { issuer: "https://id.example/", audience: "terminal", jwksUri: "" };
const stages = [{ apiId: "a1", stage: "live" }];
const plans = {
  SHARED_KEY: "0123456789abcdef",
  PLAN_STAGES: JSON.stringify(stages),
  FALLBACK_PREFIX: "TerminalApi/fallback/",
  PLAN_PREFIX: "TerminalApi/user/",
  STANDARD_PLAN_ID: "p1",
  FALLBACK_PLAN_ID: "fallback-plan",
  PRO_PLAN_ID: "p2",
};

/** Maximum size of a function's variables on AWS, in bytes. */
const maxBytes = 4096;

/** Bytes reserved for the names of tables, keys and functions, and for the addresses of an issuer. */
const reservedBytes = 900;

afterEach(() => vi.unstubAllEnvs());

describe("environmentOf", () => {
  it("writes every variable so that functions read back the same configuration", () => {
    const written = environmentOf(readConfiguration(new App({ context }).node), issuer, plans, {
      originKeys: ["k", "l"],
      tableId: "t",
      retryQueueUrl: "https://sqs.example/retries",
    });
    for (const [name, value] of Object.entries(written)) vi.stubEnv(name, value);
    const read = Object.keys(written).map((name) => [name, environment(name as EnvName)]);
    expect(Object.fromEntries(read)).toEqual({
      ALLOWED_ORIGINS: context.allowedOrigins,
      WALLET_LIMITS: { Base: 10, Pro: 60, Enterprise: 500 },
      ISSUER: issuer.issuer,
      AUDIENCE: issuer.audience,
      JWKS_URI: "",
      MAX_TOKEN_SECONDS: 3600,
      COOKIE_NAME: "session",
      BARE_COOKIE: true,
      COOKIE_SAME_SITE: "None",
      ORIGIN_KEYS: ["k", "l"],
      EDGE_ONLY: true,
      SCOPES: scopesOfMethods,
      CHANNEL_SHARDS: 7,
      CONNECTIONS_PER_USER: 3,
      PRICE_FEEDS: context.priceFeeds,
      PRICES_EVERY_SECONDS: 2,
      FALLBACK_KEYS: 40,
      KEY_GRACE_SECONDS: 0,
      EXPORT_DELAY_SECONDS: 86_400,
      TABLE_ID: "t",
      LOSS_SIGN_IN: true,
      FAST_TRIGGERS: false,
      NOTICE_BUS_ARN: undefined,
      RETRY_QUEUE_URL: "https://sqs.example/retries",
      LANE_SHARDS: 16,
      READS_ONE_CHAIN: true,
      MARKET_CHAINS: ["base"],
      MARKET_TOKENS: { base: 400 },
      EARNING: expect.objectContaining({ microPointsPerDollar: 250_000 }),
      RECORDS_EARNINGS: true,
      HOST_KEYS: "",
      SIGNING: signingConfigurationOf({ base: defaultChains.base }),
      TRADING: { base: defaultChains.base },
      ...plans,
      PLAN_STAGES: stages,
    });
  });

  it("fits the longest lists of origins, feeds and origin keys into the variables of every function", () => {
    // The lists take 2000 and 1000 bytes as JSON.
    const allowedOrigins = Array(37).fill(`https://${"a".repeat(35)}.example`);
    const priceFeeds = Array(10).fill({
      source: "near",
      venue: "kraken",
      url: `wss://${"a".repeat(40)}.test`,
    });
    const { node } = new App({ context: { ...context, allowedOrigins, priceFeeds } });
    const originKeys = Array(5).fill("k".repeat(48));
    const environment = environmentOf(readConfiguration(node), issuer, plans, {
      originKeys,
      tableId: "t".repeat(100),
    });
    for (const [name, row] of Object.entries(operations)) {
      const bytes = Object.entries(variablesOf(row, environment).inFunction).join("").length;
      expect(bytes, name).toBeLessThan(maxBytes - reservedBytes);
    }
  });
});
