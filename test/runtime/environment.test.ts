import { afterEach, describe, expect, it, vi } from "vitest";
import { environment } from "../../lib/runtime/environment.ts";

type Name = Parameters<typeof environment>[0];

const read = (name: Name, value: string | undefined) => {
  vi.stubEnv(name, value);
  return environment(name);
};

afterEach(() => vi.unstubAllEnvs());

describe("environment", () => {
  it.each<[Name, string, unknown]>([
    ["TABLE_NAME", "table", "table"],
    ["TRANSACTION_PARTITIONS", "LANE,SIGNED", ["LANE", "SIGNED"]],
    ["TRANSACTION_PARTITIONS", "", undefined],
    ["JWKS_URI", "", ""],
    ["CHANNEL_SHARDS", "16", 16],
    ["KEY_GRACE_SECONDS", "0", 0],
    ["ALLOWED_ORIGINS", "[]", []],
    ["ALLOWED_ORIGINS", '["https://app.example"]', ["https://app.example"]],
    ["WALLET_LIMITS", '{"Base":0,"Pro":50,"Enterprise":500}', { Base: 0, Pro: 50, Enterprise: 500 }],
    [
      "PRICE_FEEDS",
      '[{"source":"s","venue":"kraken","url":"ws://h"}]',
      [{ source: "s", venue: "kraken", url: "ws://h" }],
    ],
    ["PLAN_STAGES", '[{"apiId":"a","stage":"live"}]', [{ apiId: "a", stage: "live" }]],
    ["TRADING", '{"eth":{"hosts":["h"]}}', { eth: { hosts: ["h"] } }],
    ["TRADING", "{}", {}],
    ["SIGNING", '{"eth":{"wrapped":{}}}', { eth: { wrapped: {} } }],
  ])("parses the variable %s=%s", (name, value, parsed) => {
    expect(read(name, value)).toEqual(parsed);
  });

  it.each<[Name, string, string]>([
    ["TABLE_NAME", "", "text"],
    ["CHANNEL_SHARDS", "0", "a whole number from 1"],
    ["CHANNEL_SHARDS", "1.5", "a whole number from 1"],
    ["CHANNEL_SHARDS", "four", "a whole number from 1"],
    ["KEY_GRACE_SECONDS", "-1", "a whole number from 0"],
    ["KEY_GRACE_SECONDS", "", "a whole number from 0"],
    ["ALLOWED_ORIGINS", "https://app.example", "JSON of a list of origins"],
    ["ALLOWED_ORIGINS", "{}", "JSON of a list of origins"],
    ["WALLET_LIMITS", '{"Base":10,"Pro":50}', "JSON of an object with a whole number for each tier"],
    [
      "WALLET_LIMITS",
      '{"Base":10,"Pro":-1,"Enterprise":5}',
      "JSON of an object with a whole number for each tier",
    ],
    [
      "PRICE_FEEDS",
      '[{"source":"s","venue":"binance","url":"u"}]',
      "JSON of a list of feeds with source, venue and url",
    ],
    ["TRADING", '{"btc":{"hosts":[]}}', "JSON of an object with hosts and contracts for each chain"],
    ["SIGNING", '{"eth":{"hosts":[]}}', "JSON of an object with contracts and limits for each chain"],
    ["TRADING", '{"eth":null}', "JSON of an object with hosts and contracts for each chain"],
    ["PLAN_STAGES", '[{"apiId":"a"}]', "JSON of a list of stages with apiId and stage"],
  ])("refuses the variable %s=%s", (name, value, form) => {
    expect(() => read(name, value)).toThrow(
      new Error(`The environment variable ${name} is malformed: it must be ${form}`),
    );
  });

  it("does not quote a malformed value", () => {
    const read = () => environment("WALLET_LIMITS");
    vi.stubEnv("WALLET_LIMITS", "4c0883a69102937d");
    expect(read).toThrow(expect.not.objectContaining({ message: expect.stringContaining("4c0883a6") }));
  });

  it("names a variable that is missing", () => {
    expect(() => read("KEY_ID", undefined)).toThrow(new Error("The environment variable KEY_ID is not set"));
  });
});
