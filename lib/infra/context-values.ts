import * as v from "valibot";
import { tierNames } from "../domain/tier.ts";
import { venueNames } from "../prices/feeds.ts";

/** `-c key=value` makes every value a string, so what is no text may arrive as JSON. */
export const fromJson = v.rawTransform<unknown, unknown>(({ dataset, addIssue, NEVER }) => {
  if (typeof dataset.value !== "string") return dataset.value;
  try {
    return JSON.parse(dataset.value);
  } catch {
    addIssue({ message: `is not JSON: ${dataset.value}` });
    return NEVER;
  }
});

export const matching = (pattern: RegExp, what: string) =>
  v.pipe(v.string(`must be ${what}`), v.regex(pattern, `must be ${what}`));

/** A URL of the protocol with TLS, or without it on the machine itself. */
const urlOf = (plain: "http" | "ws", message: string) =>
  v.pipe(
    v.string("must be a URL"),
    v.check((text) => {
      const url = URL.parse(text);
      return url?.protocol === `${plain}s:` || (url?.protocol === `${plain}:` && isLoopback(url.hostname));
    }, message),
  );

const isLoopback = (host: string) => ["localhost", "127.0.0.1", "[::1]"].includes(host);

export const Url = urlOf("http", "must be an https URL");

export const Origin = v.pipe(
  v.string("must be text"),
  v.check(
    (text) => URL.parse(text)?.origin === text,
    ({ input }) => `must be an exact origin such as https://app.example, not ${input}`,
  ),
);

export const TierName = v.picklist(
  tierNames,
  ({ received }) => `names no tier ${received}; there are ${tierNames.join(", ")}`,
);

export const WalletLimit = v.pipe(
  v.number("must be a number of wallets"),
  v.integer("must be a whole number"),
  v.minValue(0, "must not be negative"),
);

export const DomainName = matching(/^([a-z\d-]+\.)+[a-z]{2,}$/, "a domain name in lower case");

export const CertificateArn = matching(/^arn:[\w-]+:acm:/, "the ARN of an ACM certificate");

const shards = "must be a whole number from 1 to 256";

export const ChannelShards = v.pipe(
  v.number(shards),
  v.check((number) => Number.isInteger(number) && number >= 1 && number <= 256, shards),
);

const seconds = "must be a whole number of seconds, 3600 at most";

export const GraceSeconds = v.pipe(
  v.number(seconds),
  v.check((number) => Number.isInteger(number) && number >= 0 && number <= 3600, seconds),
);

export const Feed = v.strictObject(
  {
    source: matching(/\S/, "text"),
    venue: v.picklist(
      venueNames,
      ({ received }) => `names no venue ${received}; there are ${venueNames.join(", ")}`,
    ),
    url: urlOf("ws", "must be a wss URL"),
  },
  "must be an object of source, venue and url",
);
