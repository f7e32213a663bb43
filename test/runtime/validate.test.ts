import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { SettingsPatchSchema } from "../../lib/api/settings-schema.ts";
import { ImportWalletSchema } from "../../lib/api/wallet-schema.ts";
import { validate } from "../../lib/runtime/validate.ts";

const secret = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";

describe("validate", () => {
  it.each([
    [{}, "network is required and must be one of eth, base, sol, bsc, avax"],
    [{ network: "eth" }, "privateKey is required and must be a string"],
    [{ network: "ETH", privateKey: secret }, "network must be one of eth, base, sol, bsc, avax"],
    [{ network: null, privateKey: secret }, "network must be one of eth, base, sol, bsc, avax"],
    [{ network: "eth", privateKey: 12 }, "privateKey must be a string"],
    [{ network: "eth", privateKey: [secret] }, "privateKey must be a string"],
    [{ network: "eth", privateKey: { [secret]: secret } }, "privateKey must be a string"],
    [{ network: "eth", privateKey: secret, label: "x" }, "label is not a known field"],
    [{ network: "eth", privateKey: secret, [secret]: "x" }, "A field of the body is not a known field"],
    [
      JSON.parse(`{"network":"eth","privateKey":"${secret}","__proto__":{}}`),
      "__proto__ is not a known field",
    ],
    [
      { network: "eth", privateKey: secret, [`k${secret.slice(0, 24)}`]: "x" },
      "A field of the body is not a known field",
    ],
    [{ network: "eth", privateKey: secret, constructor: 1 }, "constructor is not a known field"],
  ])("rejects %j: %s", (input, message) => {
    expect(() => validate(ImportWalletSchema, input)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message }),
    );
    expect(message).not.toContain(secret.slice(0, 8));
  });

  it.each([
    [{ network: "eth" }, { field: "privateKey" }],
    [{ network: "eth", privateKey: secret, label: "x" }, { field: "label" }],
    [{ network: "eth", privateKey: secret, [secret]: "x" }, undefined],
  ])("names the field of %j in the details unless it may be a secret: %j", (input, details) => {
    expect(() => validate(ImportWalletSchema, input)).toThrow(expect.objectContaining({ details }));
  });

  const Leg = v.strictObject({ price: v.string() });
  const NestedSchema = v.strictObject({ leg: Leg, exits: v.array(Leg) });

  it.each([
    [{ exits: [] }, "leg is required and must be an object"],
    [{ leg: "x", exits: [] }, "leg must be an object"],
    [{ leg: null, exits: [] }, "leg must be an object"],
    [{ leg: {}, exits: [] }, "leg.price is required"],
    [{ leg: { price: "1", size: 1 }, exits: [] }, "leg.size is not a known field"],
    [{ leg: { price: "1" } }, "exits is required and must be a list"],
    [{ leg: { price: "1" }, exits: {} }, "exits must be a list"],
    [{ leg: { price: "1" }, exits: ["x"] }, "exits.0 must be an object"],
  ])("rejects a wrong nested field of %j: %s", (input, message) => {
    expect(() => validate(NestedSchema, input)).toThrow(expect.objectContaining({ message }));
  });

  it.each([
    ['{"slippage":0}', "slippage must be at least 0.0001"],
    ['{"slippage":100.1}', "slippage must be at most 100"],
    ['{"slippage":1e400}', "slippage must be at most 100"],
    ['{"slippage":"1"}', "slippage must be a number"],
    ['{"slippage":null}', "slippage must be a number"],
    ['{"gasPreset":"FAST"}', "gasPreset must be one of slow, medium, fast, turbo"],
    ['{"maxGasPrice":0}', "maxGasPrice must be at least 1e-9"],
    ['{"maxGasPrice":-1}', "maxGasPrice must be at least 1e-9"],
    ['{"priorityFee":-1e-9}', "priorityFee must be at least 0"],
    ['{"priorityFee":1e-300}', "priorityFee must be 0, or at least 1e-9"],
    ['{"mevProtection":1}', "mevProtection must be a boolean"],
    ['{"toString":1}', "toString is not a known field"],
  ])("rejects settings of %s: %s", (json, message) => {
    expect(() => validate(SettingsPatchSchema, JSON.parse(json))).toThrow(
      expect.objectContaining({ message }),
    );
  });
});
