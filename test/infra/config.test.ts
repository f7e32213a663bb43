import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import cdk from "../../cdk.json" with { type: "json" };
import { ConfigurationError, readConfiguration } from "../../lib/infra/config.ts";
import { defaultPriceFeeds } from "../../lib/prices/feeds.ts";

const read = (context: Record<string, unknown>) =>
  readConfiguration(new App({ context: { ...cdk.context, ...context } }).node);

const refusal = (context: Record<string, unknown>) => {
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

describe("the configuration", () => {
  it("needs nothing", () => {
    expect(read({})).toEqual({
      issuer: undefined,
      cookieName: "access_token",
      allowedOrigins: [],
      walletLimits: { Base: 10, Pro: 50, Enterprise: 500 },
      domain: undefined,
      streamDomain: undefined,
      channelShards: 4,
      priceFeeds: defaultPriceFeeds,
      keyGraceSeconds: 120,
      alarmTopicArn: undefined,
    });
  });

  it("is the same as values and as the text that a command line gives", () => {
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

  it("takes feeds over TLS, feeds of the machine itself, and none", () => {
    for (const url of [
      "wss://feed.example/v2",
      "ws://localhost:4000",
      "ws://127.0.0.1:4000",
      "ws://[::1]:4000",
    ])
      expect(read({ priceFeeds: [{ ...feed, url }] }).priceFeeds).toEqual([{ ...feed, url }]);
    expect(read({ priceFeeds: "[]" }).priceFeeds).toEqual([]);
  });

  it("takes a domain name for each of the APIs", () => {
    const rest = { domainName: "api.example.com", certificateArn: `${certificate}/1` };
    const stream = { domainName: "stream.example.com", certificateArn: `${certificate}/2` };
    const context = {
      ...rest,
      streamDomainName: stream.domainName,
      streamCertificateArn: stream.certificateArn,
    };
    expect(read(context)).toMatchObject({ domain: rest, streamDomain: stream });
  });

  it.each([0, 3600, "0"])("takes %j seconds for a key to become active", (keyGraceSeconds) => {
    expect(read({ keyGraceSeconds })).toMatchObject({ keyGraceSeconds: Number(keyGraceSeconds) });
  });

  it.each([1, 256])("takes %i shards", (channelShards) => {
    expect(read({ channelShards }).channelShards).toBe(channelShards);
  });

  it("takes an issuer with or without the address of its keys", () => {
    const issuer = { issuer: "https://id.example/", audience: "terminal" };
    expect(read(issuer).issuer).toEqual({ ...issuer, jwksUri: "" });
    const local = { ...issuer, jwksUri: "http://127.0.0.1:3000/keys" };
    expect(read(local).issuer).toEqual(local);
  });

  it.each([
    [
      { walletLimits: { Gold: 5 } },
      'walletLimits.Gold names no tier "Gold"; there are Base, Pro, Enterprise',
    ],
    [{ walletLimits: { Pro: -1 } }, "walletLimits.Pro must not be negative"],
    [{ walletLimits: { Pro: 1.5 } }, "walletLimits.Pro must be a whole number"],
    [{ walletLimits: '{"Pro":"5"}' }, "walletLimits.Pro must be a number of wallets"],
    [{ walletLimits: "{Pro:5}" }, "walletLimits is not JSON: {Pro:5}"],
    [
      { allowedOrigins: ["*"] },
      "allowedOrigins.0 must be an exact origin such as https://app.example, not *",
    ],
    [
      { allowedOrigins: ["https://a.example", "https://b.example/"] },
      "allowedOrigins.1 must be an exact origin such as https://app.example, not https://b.example/",
    ],
    [{ allowedOrigins: '"https://a.example"' }, "allowedOrigins must be a list of origins"],
    [{ cookieName: "access token" }, "cookieName must be a cookie name"],
    [{ issuer: "https://id.example/" }, "audience is needed beside issuer"],
    [{ audience: "terminal" }, "issuer is needed beside audience"],
    [{ jwksUri: "https://id.example/keys" }, "issuer is needed beside jwksUri"],
    [{ issuer: "http://id.example/", audience: "terminal" }, "issuer must be an https URL"],
    [{ issuer: "https://id.example/", audience: "" }, "audience must be text"],
    [{ domainName: "api.example.com" }, "certificateArn is needed beside domainName"],
    [
      { certificateArn: "arn:aws:acm:eu-west-1:1:certificate/1" },
      "domainName is needed beside certificateArn",
    ],
    [
      { domainName: "https://api.example.com", certificateArn: "arn:aws:acm:x" },
      "domainName must be a domain name in lower case",
    ],
    [{ streamDomainName: "stream.example.com" }, "streamCertificateArn is needed beside streamDomainName"],
    [{ streamCertificateArn: `${certificate}/1` }, "streamDomainName is needed beside streamCertificateArn"],
    [
      {
        domainName: "api.example.com",
        certificateArn: `${certificate}/1`,
        streamDomainName: "api.example.com",
        streamCertificateArn: `${certificate}/1`,
      },
      "streamDomainName must differ from domainName: one name serves one kind of API",
    ],
    [{ channelShards: 0 }, "channelShards must be a whole number from 1 to 256"],
    [{ channelShards: 257 }, "channelShards must be a whole number from 1 to 256"],
    [{ channelShards: "1.5" }, "channelShards must be a whole number from 1 to 256"],
    [{ channelShards: "four" }, "channelShards is not JSON: four"],
    [{ keyGraceSeconds: -1 }, "keyGraceSeconds must be a whole number of seconds, 3600 at most"],
    [{ keyGraceSeconds: 0.5 }, "keyGraceSeconds must be a whole number of seconds, 3600 at most"],
    [{ keyGraceSeconds: 3601 }, "keyGraceSeconds must be a whole number of seconds, 3600 at most"],
    [{ keyGraceSeconds: "soon" }, "keyGraceSeconds is not JSON: soon"],
    [{ priceFeeds: "{}" }, "priceFeeds must be a list of feeds"],
    [{ priceFeeds: ["coinbase"] }, "priceFeeds.0 must be an object of source, venue and url"],
    [{ priceFeeds: [{ ...feed, source: " " }] }, "priceFeeds.0.source must be text"],
    [
      { priceFeeds: [feed, { ...feed, venue: "binance" }] },
      'priceFeeds.1.venue names no venue "binance"; there are coinbase, kraken',
    ],
    [{ priceFeeds: [{ ...feed, url: "ws://feed.example" }] }, "priceFeeds.0.url must be a wss URL"],
    [{ priceFeeds: [{ ...feed, url: "https://feed.example" }] }, "priceFeeds.0.url must be a wss URL"],
    [
      { priceFeeds: [{ ...feed, apiKey: "x" }] },
      "priceFeeds.0.apiKey must be an object of source, venue and url",
    ],
    [{ alarmTopicArn: "alarms" }, "alarmTopicArn must be the ARN of an SNS topic"],
  ])("refuses %j", (context, message) => {
    expect(refusal(context)).toBe(`Context ${message}`);
  });

  it("names every key at fault", () => {
    expect(refusal({ cookieName: "a b", alarmTopicArn: "alarms" })?.split("\n")).toHaveLength(2);
  });
});
