import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { ConfigurationError, defaults, readConfiguration } from "../../lib/infra/config.ts";
import { defaultThrottles, throttledNames, totalRate } from "../../lib/infra/throttles.ts";

const read = (context: Record<string, unknown>) => readConfiguration(new App({ context }).node);

const errorFor = (context: Record<string, unknown>) => {
  try {
    read(context);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return undefined;
};

const feed = { source: "coinbase", venue: "coinbase", url: "wss://feed.example" };
const certificate = "arn:aws:acm:eu-west-1:1:certificate";

describe("readConfiguration", () => {
  it("returns the defaults for an empty context", () => {
    expect(read({})).toEqual({
      issuer: undefined,
      mail: undefined,
      tableStreamArn: undefined,
      multiRegionKey: true,
      replicaRegion: undefined,
      walletKeyArn: undefined,
      reservedRuns: {},
      maxTokenSeconds: 90_000,
      cookieName: "access_token",
      bareCookie: false,
      cookieSameSite: "Strict",
      allowedOrigins: [],
      walletLimits: { Base: 10, Pro: 50, Enterprise: 500 },
      domain: undefined,
      streamDomain: undefined,
      edge: true,
      edgeOnly: false,
      console: true,
      consoleClientId: undefined,
      consoleScope: "openid",
      consoleOrigins: [],
      consoleDocs: undefined,
      consoleExplorers: {
        eth: "https://etherscan.io",
        base: "https://basescan.org",
        bsc: "https://bscscan.com",
        avax: "https://snowtrace.io",
        sol: "https://solscan.io",
      },
      originKeys: ["1"],
      webAclArn: undefined,
      firewall: false,
      firewallRequestsPerMinute: 20_000,
      channelShards: 4,
      connectionsPerUser: 30,
      priceFeeds: defaults.priceFeeds,
      fallbackKeys: 500,
      pricesEverySeconds: 2,
      keyGraceSeconds: 120,
      importKeys: ["1"],
      throttles: defaultThrottles(10_000),
      trading: {},
      laneShards: 2,
      readChainsMemoryMB: 256,
      readChainsPerChain: false,
      lossSignIn: true,
      fastTriggers: false,
      markets: false,
      earning: undefined,
      marketTokens: {},
      concurrentRuns: 1000,
      signerVpc: true,
      signerZones: undefined,
      warmThroughput: undefined,
      walletExport: false,
      devices: false,
      exportDelaySeconds: 86_400,
      leadingKeys: "each-part",
      noticeBusArn: undefined,
      hostKeys: undefined,
      alarmTopicArn: undefined,
      ticketTopicArn: undefined,
      budgetDollars: undefined,
      hostUnitsPerDay: 50_000_000,
    });
  });

  it("reads JSON values and command-line text alike", () => {
    const values = {
      allowedOrigins: ["https://app.example"],
      walletLimits: { Enterprise: 1000 },
      channelShards: 16,
      priceFeeds: [feed],
    };
    const texts = {
      allowedOrigins: '["https://app.example"]',
      walletLimits: '{"Enterprise":1000}',
      channelShards: "16",
      priceFeeds: JSON.stringify([feed]),
    };
    expect(read(texts)).toEqual(read(values));
    expect(read(values)).toMatchObject({
      allowedOrigins: ["https://app.example"],
      walletLimits: { Base: 10, Pro: 50, Enterprise: 1000 },
      channelShards: 16,
      priceFeeds: [feed],
    });
  });

  it("accepts feeds over TLS, feeds on the local machine, and an empty list", () => {
    for (const url of [
      "wss://feed.example/v2",
      "ws://localhost:4000",
      "ws://127.0.0.1:4000",
      "ws://[::1]:4000",
    ])
      expect(read({ priceFeeds: [{ ...feed, url }] }).priceFeeds).toEqual([{ ...feed, url }]);
    expect(read({ priceFeeds: "[]" }).priceFeeds).toEqual([]);
  });

  it("accepts a domain name for each API", () => {
    const rest = { domainName: "api.example.com", certificateArn: `${certificate}/1` };
    const stream = { domainName: "stream.example.com", certificateArn: `${certificate}/2` };
    const context = {
      edge: false,
      ...rest,
      streamDomainName: stream.domainName,
      streamCertificateArn: stream.certificateArn,
    };
    expect(read(context)).toMatchObject({ domain: rest, streamDomain: stream });
  });

  it.each([0, 3600, "0"])("accepts %j seconds of grace for new keys", (keyGraceSeconds) => {
    expect(read({ keyGraceSeconds })).toMatchObject({ keyGraceSeconds: Number(keyGraceSeconds) });
  });

  it("scales the throttles with the account, unless the context sets them", () => {
    const ping = { rateLimit: 20, burstLimit: 30 };
    const { throttles } = read({ accountRequestsPerSecond: "2500", throttles: JSON.stringify({ ping }) });
    expect(throttles).toMatchObject({ listWallets: { rateLimit: 250, burstLimit: 1250 }, ping });
  });

  it.each(["no-reply@mail.example", "Trading terminal <no-reply@mail.example>"])(
    "accepts %s as the sender of mail",
    (from) => {
      const identityArn = "arn:aws:ses:eu-west-1:111111111111:identity/mail.example";
      expect(read({ mailFrom: from, mailIdentityArn: identityArn })).toMatchObject({
        mail: { from, identityArn },
      });
    },
  );

  it.each([1, 256])("accepts %i shards", (channelShards) => {
    expect(read({ channelShards }).channelShards).toBe(channelShards);
  });

  it("accepts an issuer with or without the address of its keys", () => {
    const issuer = { issuer: "https://id.example/", audience: "terminal" };
    expect(read(issuer).issuer).toEqual({ ...issuer, jwksUri: "" });
    const local = { ...issuer, jwksUri: "http://127.0.0.1:3000/keys" };
    expect(read(local).issuer).toEqual(local);
  });

  it.each([
    [
      { walletLimits: { Gold: 5 } },
      'walletLimits.Gold is not a tier: "Gold". The tiers are Base, Pro, Enterprise',
    ],
    [{ walletLimits: { Pro: -1 } }, "walletLimits.Pro must not be negative"],
    [{ walletLimits: { Pro: 1.5 } }, "walletLimits.Pro must be a whole number"],
    [{ walletLimits: '{"Pro":"5"}' }, "walletLimits.Pro must be a number of wallets"],
    [{ walletLimits: "{Pro:5}" }, "walletLimits is not JSON"],
    [
      { allowedOrigins: ["*"] },
      "allowedOrigins.0 must be an exact origin such as https://app.example, not *",
    ],
    [
      { allowedOrigins: ["https://a.example", "https://b.example/"] },
      "allowedOrigins.1 must be an exact origin such as https://app.example, not https://b.example/",
    ],
    [{ allowedOrigins: '"https://a.example"' }, "allowedOrigins must be a list of origins"],
    [
      { allowedOrigins: Array(100).fill("https://a.example") },
      "allowedOrigins must have at most 2000 bytes as JSON",
    ],
    [{ priceFeeds: Array(20).fill(feed) }, "priceFeeds must have at most 1000 bytes as JSON"],
    [
      { warmThroughput: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 3999 } },
      "warmThroughput.writeUnitsPerSecond must be a whole number from 4000 to 1000000",
    ],
    [{ signerZones: ["us-east-1a"] }, "signerZones must be a list of two availability zones"],
    [
      { signerZones: '["us-east-1a","use1-az2"]' },
      "signerZones.1 must be an availability zone such as us-east-1a",
    ],
    [{ signerZones: ["us-east-1a", "us-east-1a"] }, "signerZones must be a list of two availability zones"],
    [{ maxTokenSeconds: 59 }, "maxTokenSeconds must be a whole number of seconds from 60 to 2592000"],
    [{ cookieName: "access token" }, "cookieName must be a cookie name"],
    [{ cookieSameSite: "none" }, "cookieSameSite must be one of Strict, Lax, None"],
    [{ issuer: "https://id.example/" }, "audience is missing: issuer needs it"],
    [{ audience: "terminal" }, "issuer is missing: audience needs it"],
    [{ jwksUri: "https://id.example/keys" }, "issuer is missing: jwksUri needs it"],
    [{ issuer: "http://id.example/", audience: "terminal" }, "issuer must be an https URL"],
    [{ issuer: "https://id.example/", audience: "" }, "audience must be text"],
    [{ domainName: "api.example.com" }, "certificateArn is missing: domainName needs it"],
    [
      { certificateArn: "arn:aws:acm:eu-west-1:1:certificate/1" },
      "domainName is missing: certificateArn needs it",
    ],
    [
      { domainName: "https://api.example.com", certificateArn: "arn:aws:acm:x" },
      "domainName must be a domain name in lower case",
    ],
    [
      { streamDomainName: "stream.example.com" },
      "streamCertificateArn is missing: streamDomainName needs it",
    ],
    [
      { streamCertificateArn: `${certificate}/1` },
      "streamDomainName is missing: streamCertificateArn needs it",
    ],
    [
      {
        edge: false,
        domainName: "api.example.com",
        certificateArn: `${certificate}/1`,
        streamDomainName: "api.example.com",
        streamCertificateArn: `${certificate}/1`,
      },
      "streamDomainName must differ from domainName: a name serves one kind of API",
    ],
    [{ mailFrom: "no-reply@mail.example" }, "mailIdentityArn is missing: mailFrom needs it"],
    [
      { mailIdentityArn: "arn:aws:ses:eu-west-1:1:identity/mail.example" },
      "mailFrom is missing: mailIdentityArn needs it",
    ],
    [
      { mailFrom: "mail.example", mailIdentityArn: "arn:aws:ses:eu-west-1:1:identity/mail.example" },
      "mailFrom must be a mail address, with or without a name",
    ],
    [
      { mailFrom: "a@mail.example", mailIdentityArn: "mail.example" },
      "mailIdentityArn must be the ARN of an identity in SES",
    ],
    [
      { tableStreamArn: "arn:aws:dynamodb:eu-west-1:1:table/Table" },
      "tableStreamArn must be the ARN of a table's stream",
    ],
    [{ channelShards: 0 }, "channelShards must be a whole number from 1 to 256"],
    [{ channelShards: 257 }, "channelShards must be a whole number from 1 to 256"],
    [{ channelShards: "1.5" }, "channelShards must be a whole number from 1 to 256"],
    [{ laneShards: 0 }, "laneShards must be a whole number from 1 to 256"],
    [{ laneShards: "257" }, "laneShards must be a whole number from 1 to 256"],
    [{ readChainsMemoryMB: 128 }, "readChainsMemoryMB must be a whole number from 256 to 10240"],
    [{ readChainsMemoryMB: "10241" }, "readChainsMemoryMB must be a whole number from 256 to 10240"],
    [{ readChainsPerChain: "each" }, "readChainsPerChain is not JSON"],
    [{ connectionsPerUser: 0 }, "connectionsPerUser must be a whole number from 1 to 100"],
    [{ connectionsPerUser: "101" }, "connectionsPerUser must be a whole number from 1 to 100"],
    [{ channelShards: "four" }, "channelShards is not JSON"],
    [{ leadingKeys: "some" }, "leadingKeys must be one of each-part, whole-request"],
    [{ walletExport: "yes" }, "walletExport is not JSON"],
    [
      {
        fastTriggers: true,
        trading: ["eth", "base"],
        publicHosts: true,
        chains: { eth: { hosts: ["http://127.0.0.1:8545"] } },
      },
      "fastTriggers is only for local chains: a short push of the price would fire stops",
    ],
    [{ exportDelaySeconds: -1 }, "exportDelaySeconds must be a whole number of seconds from 0 to 2592000"],
    [
      { exportDelaySeconds: 86_399, trading: ["eth"], publicHosts: true },
      "exportDelaySeconds must be at least 86400 where chains trade, such as eth",
    ],
    [{ noticeBusArn: "default" }, "noticeBusArn must be the ARN of an EventBridge bus"],
    [{ importKeys: [] }, "importKeys must have a label"],
    [{ importKeys: "1" }, "importKeys must be a list of labels"],
    [{ importKeys: ["1", "1"] }, "importKeys must not have a label twice"],
    [{ importKeys: ["1", "2", "3", "4", "5", "6"] }, "importKeys must have at most 5 labels"],
    [{ importKeys: ["A b"] }, "importKeys.0 must be 1 to 16 lower-case letters and digits"],
    [{ fallbackKeys: 0 }, "fallbackKeys must be a whole number from 1 to 8000"],
    [{ fallbackKeys: 8001 }, "fallbackKeys must be a whole number from 1 to 8000"],
    [{ pricesEverySeconds: 0 }, "pricesEverySeconds must be a whole number of seconds from 1 to 60"],
    [{ pricesEverySeconds: 61 }, "pricesEverySeconds must be a whole number of seconds from 1 to 60"],
    [{ keyGraceSeconds: -1 }, "keyGraceSeconds must be a whole number of seconds from 0 to 3600"],
    [{ keyGraceSeconds: 0.5 }, "keyGraceSeconds must be a whole number of seconds from 0 to 3600"],
    [{ keyGraceSeconds: 3601 }, "keyGraceSeconds must be a whole number of seconds from 0 to 3600"],
    [{ keyGraceSeconds: "soon" }, "keyGraceSeconds is not JSON"],
    [
      { accountRequestsPerSecond: 249 },
      "accountRequestsPerSecond must be a whole number from 250 to 1000000",
    ],
    [
      { throttles: { $connect: { rateLimit: 1, burstLimit: 1 } } },
      `throttles.$connect is neither a method nor a route: "$connect". They are ${throttledNames.join(", ")}`,
    ],
    [
      { throttles: { cancelOrder: { rateLimit: 9999, burstLimit: 1 } } },
      "throttles.cancelOrder.rateLimit must be at least 10000: owners stop a thief with it, so no crowd of accounts may use it up",
    ],
    [{ throttles: { ping: { rateLimit: 0, burstLimit: 1 } } }, "throttles.ping.rateLimit must be at least 1"],
    [
      { throttles: '{"ping":{"rateLimit":1}}' },
      "throttles.ping.burstLimit must be an object of rateLimit (a second) and burstLimit",
    ],
    [
      { throttles: { ping: { rateLimit: 7000, burstLimit: 1 } } },
      `throttles add up to ${totalRate({ ...defaultThrottles(10_000), ping: { rateLimit: 7000, burstLimit: 1 } })} requests a second; at most 8000 of accountRequestsPerSecond are allowed, so that ` +
        "pushes have the rest",
    ],
    [{ priceFeeds: "{}" }, "priceFeeds must be a list of feeds"],
    [{ priceFeeds: ["coinbase"] }, "priceFeeds.0 must be an object of source, venue and url"],
    [{ priceFeeds: [{ ...feed, source: " " }] }, "priceFeeds.0.source must be text"],
    [
      { priceFeeds: [feed, { ...feed, venue: "binance" }] },
      'priceFeeds.1.venue is not a venue: "binance". The venues are coinbase, kraken',
    ],
    [{ priceFeeds: [{ ...feed, url: "ws://feed.example" }] }, "priceFeeds.0.url must be a wss URL"],
    [{ priceFeeds: [{ ...feed, url: "https://feed.example" }] }, "priceFeeds.0.url must be a wss URL"],
    [
      { priceFeeds: [{ ...feed, apiKey: "x" }] },
      "priceFeeds.0.apiKey must be an object of source, venue and url",
    ],
    [{ alarmTopicArn: "alarms" }, "alarmTopicArn must be the ARN of an SNS topic"],
    [
      { ticketTopicArn: "arn:aws:sns:eu-west-1:111111111111:t" },
      "alarmTopicArn is missing: ticketTopicArn needs it",
    ],
    [{ budgetDollars: 100 }, "alarmTopicArn is missing: budgetDollars needs it"],
    [
      { alarmTopicArn: "arn:aws:sns:eu-west-1:111111111111:t", budgetDollars: 0 },
      "budgetDollars must be a whole number from 1 to 1000000000",
    ],
    [{ originKeyLabel: "1" }, "originKeyLabel is unknown: docs/operations.md lists the keys"],
    [{ isuer: "1" }, "isuer is unknown: docs/operations.md lists the keys. Did you mean issuer?"],
    [
      { CONCURRENTRUNS: "1" },
      "CONCURRENTRUNS is unknown: docs/operations.md lists the keys. Did you mean concurrentRuns?",
    ],
    [{ constructor: "1" }, "constructor is unknown: docs/operations.md lists the keys"],
  ])("rejects %j", (context, message) => {
    expect(errorFor(context)).toBe(`Context ${message}`);
  });

  it("names every invalid key", () => {
    const context = { cookieName: "a b", alarmTopicArn: "alarms", shards: 4, zones: [] };
    expect(
      errorFor(context)
        ?.split("\n")
        .map((line) => line.split(" ")[1]),
    ).toEqual([...["shards", "zones"], ...["cookieName", "alarmTopicArn"]]);
  });

  it.each([
    "@aws-cdk/core:newFlag",
    "aws:cdk:bundling-stacks",
    "availability-zones:account=1:region=eu-west-1",
    "acknowledged-issue-numbers",
  ])("leaves the context key %s to CDK", (key) => {
    expect(read({ [key]: true })).toEqual(read({}));
  });
});
