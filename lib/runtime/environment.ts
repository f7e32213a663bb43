import * as v from "valibot";
import type { SigningConfiguration, TradingConfiguration } from "../chains/families/configuration.ts";
import { tradingChains } from "../core/chain-facts.ts";
import { scopes } from "../core/scope.ts";
import { tierNames } from "../core/tier.ts";
import type { EnvName } from "../operations/types.ts";
import { venueNames } from "../prices/feeds.ts";
import type { EarningRules } from "../rewards/earning-rules.ts";
import type { PartitionName } from "../table/layout.ts";
import { sameSites } from "./session-cookie.ts";

/** A variable of a function's environment: configuration, or the name of a resource that the row may use. */
type Variable =
  | EnvName
  | "TABLE_NAME"
  | "TRANSACTION_PARTITIONS"
  | "KEY_ID"
  | "IMPORT_KEYS"
  | "MAC_KEY_ID"
  | "CHILD_MAC_KEY_ID"
  | "DELIVER_FUNCTION"
  | "CATCH_UP_FUNCTION"
  | "FEED_PRICES_FUNCTION"
  | "EXECUTE_ORDERS_FUNCTION"
  | "SIGN_TRANSACTION_FUNCTION"
  | "FIRE_ORDERS_FUNCTION"
  | "WATCH_TRIGGERS_FUNCTION"
  | "READ_CHAINS_FUNCTION"
  | "READ_MARKETS_FUNCTION"
  | "LOAD_HISTORY_FUNCTION"
  | "SEAL_EXPORT_FUNCTION"
  | "LOOSEN_GUARDS_FUNCTION";

const text = v.pipe(v.string(), v.nonEmpty(), v.description("text"));

const wholeNumber = (from: 0 | 1) =>
  v.pipe(
    v.string(),
    v.regex(from === 0 ? /^\d+$/ : /^[1-9]\d*$/),
    v.toNumber(),
    v.description(`a whole number from ${from}`),
  );

const json = <Schema extends v.GenericSchema>(schema: Schema, form: string) =>
  v.pipe(v.string(), v.parseJson(), schema, v.description(`JSON of ${form}`));

const truth = json(v.boolean(), "true or false");

/** A configuration for each chain, which has at least this field. */
const chainsWith = (field: string) =>
  v.record(
    v.picklist(tradingChains),
    v.custom<object>((value) => typeof value === "object" && value !== null && field in value),
  );

const nameOfTrading = v.pipe(v.string(), v.description("text, empty where no chain trades"));

const schemas = {
  TABLE_NAME: text,
  // Partitions that a transaction may name. lib/infra derives them from the table of operations.
  TRANSACTION_PARTITIONS: v.pipe(
    v.string(),
    v.transform((text) => (text === "" ? undefined : (text.split(",") as PartitionName[]))),
    v.description("names separated by commas, empty for all"),
  ),
  KEY_ID: text,
  IMPORT_KEYS: v.pipe(
    v.string(),
    v.nonEmpty(),
    v.transform((text) => text.split(",")),
    v.description("ids separated by commas"),
  ),
  MAC_KEY_ID: text,
  CHILD_MAC_KEY_ID: text,
  TABLE_ID: text,
  DELIVER_FUNCTION: text,
  CATCH_UP_FUNCTION: text,
  FEED_PRICES_FUNCTION: text,
  EXECUTE_ORDERS_FUNCTION: nameOfTrading,
  SIGN_TRANSACTION_FUNCTION: text,
  FIRE_ORDERS_FUNCTION: nameOfTrading,
  WATCH_TRIGGERS_FUNCTION: text,
  READ_CHAINS_FUNCTION: text,
  READ_MARKETS_FUNCTION: v.pipe(v.string(), v.description("text, empty where markets are off")),
  LOAD_HISTORY_FUNCTION: text,
  SEAL_EXPORT_FUNCTION: text,
  LOOSEN_GUARDS_FUNCTION: text,
  ALLOWED_ORIGINS: json(v.array(v.string()), "a list of origins"),
  WALLET_LIMITS: json(
    v.object(v.entriesFromList(tierNames, v.pipe(v.number(), v.integer(), v.minValue(0)))),
    "an object with a whole number for each tier",
  ),
  ISSUER: text,
  AUDIENCE: text,
  JWKS_URI: v.pipe(v.string(), v.description("text, empty for OpenID Connect discovery")),
  MAX_TOKEN_SECONDS: wholeNumber(1),
  COOKIE_NAME: text,
  BARE_COOKIE: truth,
  ORIGIN_KEYS: v.pipe(
    v.string(),
    v.transform((text) => (text === "" ? [] : text.split(","))),
    v.description("keys separated by commas, empty for none"),
  ),
  EDGE_ONLY: truth,
  COOKIE_SAME_SITE: v.pipe(v.picklist(sameSites), v.description(sameSites.join(" or "))),
  CHANNEL_SHARDS: wholeNumber(1),
  CONNECTIONS_PER_USER: wholeNumber(1),
  PRICE_FEEDS: json(
    v.array(v.object({ source: v.string(), venue: v.picklist(venueNames), url: v.string() })),
    "a list of feeds with source, venue and url",
  ),
  SCOPES: json(v.record(v.string(), v.picklist(scopes)), "an object with the scopes of operations"),
  SHARED_KEY: text,
  FALLBACK_KEYS: wholeNumber(1),
  FALLBACK_PREFIX: text,
  FALLBACK_PLAN_ID: text,
  PRICES_EVERY_SECONDS: wholeNumber(1),
  PLAN_STAGES: json(
    v.array(v.object({ apiId: v.string(), stage: v.string(), methods: v.optional(v.boolean()) })),
    "a list of stages with apiId and stage",
  ),
  PLAN_PREFIX: text,
  STANDARD_PLAN_ID: text,
  PRO_PLAN_ID: text,
  KEY_GRACE_SECONDS: wholeNumber(0),
  EXPORT_DELAY_SECONDS: wholeNumber(0),
  LOSS_SIGN_IN: truth,
  FAST_TRIGGERS: truth,
  NOTICE_BUS_ARN: v.pipe(
    v.string(),
    v.transform((text) => text || undefined),
    v.description("text, empty for none"),
  ),
  RETRY_QUEUE_URL: text,
  LANE_SHARDS: wholeNumber(1),
  READS_ONE_CHAIN: truth,
  MARKET_CHAINS: json(v.array(v.picklist(tradingChains)), "a list of chains, empty where markets are off"),
  HOST_KEYS: v.pipe(v.string(), v.description("text, empty where no URL of a host names a key")),
  MARKET_TOKENS: json(
    v.object(v.entriesFromList(tradingChains, v.exactOptional(v.number()))),
    "an object of chains, empty for the defaults",
  ),
  EARNING: json(
    v.custom<EarningRules>((value) => typeof value === "object" && value !== null && "tokens" in value),
    "an object with the rules of earnings",
  ),
  RECORDS_EARNINGS: truth,
  // Trusts the chains' setup, because it was checked when the stacks were synthesized.
  TRADING: json(
    v.pipe(
      chainsWith("hosts"),
      v.transform((chains) => chains as TradingConfiguration),
    ),
    "an object with hosts and contracts for each chain",
  ),
  SIGNING: json(
    v.pipe(
      chainsWith("wrapped"),
      v.transform((chains) => chains as SigningConfiguration),
    ),
    "an object with contracts and limits for each chain",
  ),
} satisfies Record<Variable, v.GenericSchema<string, unknown>>;

/**
 * Parses a variable written by lib/infra/functions/variables.ts. Handlers read their variables at load, so that a
 * function with a bad environment fails before it serves anything.
 *
 * @throws {Error} if the variable is missing or malformed. The message names the variable and does not quote its value.
 */
export function environment<Name extends Variable>(name: Name): v.InferOutput<(typeof schemas)[Name]> {
  const value = process.env[name];
  if (value === undefined) throw new Error(`The environment variable ${name} is not set`);
  const schema: v.GenericSchema<string, v.InferOutput<(typeof schemas)[Name]>> = schemas[name];
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw new Error(
    `The environment variable ${name} is malformed: it must be ${v.getDescription(schemas[name])}`,
  );
}
