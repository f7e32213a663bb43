import "./environment.ts";
import { KMSClient } from "@aws-sdk/client-kms";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyResult } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handler as listWallets } from "../../functions/listWallets/handler.ts";
import { handler as storeWallet } from "../../functions/storeWallet/handler.ts";
import { handler as updateTradingSettings } from "../../functions/updateTradingSettings/handler.ts";
import { SettingsPatchSchema } from "../../lib/api/settings-schema.ts";
import { validate } from "../../lib/runtime/validate.ts";
import { checkPatch } from "../../lib/users/settings.ts";
import { badBodies, badContentTypes, unknownFields } from "../cases/bad-bodies.ts";
import { badImports, importSecrets } from "../cases/bad-imports.ts";
import { foreignOrigins } from "../cases/origins.ts";
import { badChains, badSettings, gasPrices, goodSettings } from "../cases/settings.ts";
import { restEvent } from "../support/events.ts";
import { newEvmKey } from "../support/keys.ts";
import { partIn } from "../support/traces.ts";

const table = mockClient(DynamoDBDocumentClient);
const kms = mockClient(KMSClient);

beforeEach(() => {
  table.reset();
  kms.reset();
});

const { network, privateKey } = newEvmKey();

/** Operations that take a body, each with a valid one. */
const takers = [
  { name: "storeWallet", handle: storeWallet, path: {}, good: JSON.stringify({ network, privateKey }) },
  {
    name: "updateTradingSettings",
    handle: updateTradingSettings,
    path: { chain: "eth" },
    good: JSON.stringify({ slippage: 7.25 }),
  },
];

/** API Gateway passes a body on as text. */
const asText = (body: unknown): string =>
  body instanceof Uint8Array
    ? Buffer.from(body).toString()
    : typeof body === "string"
      ? body
      : JSON.stringify(body);

function expectMessage({ statusCode, body }: APIGatewayProxyResult, status: number, message: RegExp): void {
  expect(statusCode, body).toBe(status);
  expect(JSON.parse(body)).toStrictEqual({ message: expect.stringMatching(message) });
  expect(body.length).toBeLessThan(500);
}

const expectNothingStored = () => expect([...table.calls(), ...kms.calls()]).toEqual([]);

describe("storeWallet", () => {
  afterEach(expectNothingStored);

  it.each(badImports)("refuses $title", async ({ body, message }) => {
    const answer = await storeWallet(restEvent({ body: asText(body) }));

    expectMessage(answer, 400, message);
    const { privateKey = "" } = typeof body === "object" ? (body as { privateKey?: unknown }) : {};
    const secrets = [...importSecrets, ...(typeof privateKey === "string" ? [privateKey] : [])];
    expect(partIn(answer.body, secrets)).toBeUndefined();
  });
});

describe.each(takers)("$name", ({ handle, path, good }) => {
  afterEach(expectNothingStored);

  it.each(badBodies)("refuses $title", async ({ body }) => {
    expectMessage(await handle(restEvent({ path, body: asText(body(good)) })), 400, /\S/);
  });

  it.each(unknownFields)("refuses $title among valid fields, and names it", async ({ value }) => {
    const body = good.replace("{", `{${value.json},`);

    expectMessage(await handle(restEvent({ path, body })), 400, value.names);
  });

  it("never quotes a private key sent as a field's name", async () => {
    const body = { ...JSON.parse(good), [privateKey]: "eth", [privateKey.slice(2)]: "eth" };

    const answer = await handle(restEvent({ path, body }));

    expectMessage(answer, 400, /\S/);
    expect(partIn(answer.body, [privateKey])).toBeUndefined();
  });

  it.each(badContentTypes)("refuses $title with 415", async ({ value: [type] }) => {
    const headers: Record<string, string> = type === undefined ? {} : { "Content-Type": type };

    expectMessage(await handle(restEvent({ path, headers, body: good })), 415, /application\/json/);
  });
});

describe("updateTradingSettings", () => {
  afterEach(expectNothingStored);

  it.each(badSettings)("refuses $title", async ({ chain, body, field }) => {
    const answer = await updateTradingSettings(restEvent({ path: { chain }, body: asText(body) }));

    expectMessage(answer, 400, new RegExp(field));
  });

  it.each(badChains)("refuses the chain $title", async ({ value }) => {
    const path = { chain: decodeURIComponent(value) };

    const answer = await updateTradingSettings(restEvent({ path, body: { slippage: 3 } }));

    expectMessage(answer, 400, /chain.*\beth\b.*\bbase\b.*\bsol\b/);
  });
});

describe("a change of settings", () => {
  const read = (chain: "eth" | "base" | "sol", body: unknown) =>
    checkPatch(chain, validate(SettingsPatchSchema, body));

  it.each(goodSettings)("accepts $title", ({ chain, body }) => {
    expect(read(chain, body)).toEqual(body);
  });

  it.each(gasPrices)(
    "either keeps a gas price of $title exactly, or refuses it",
    ({ value: maxGasPrice }) => {
      try {
        expect(read("base", { maxGasPrice })).toEqual({ maxGasPrice });
      } catch (error) {
        expect(error).toMatchObject({
          code: "INVALID_REQUEST",
          message: expect.stringContaining("maxGasPrice"),
        });
      }
    },
  );
});

describe("a response", () => {
  it.each(foreignOrigins("https://app.example"))("hides a response from pages of %s", async (origin) => {
    table.on(QueryCommand).resolves({ Items: [] });

    const { headers } = await listWallets(restEvent({ headers: { origin } }));

    expect(headers).not.toHaveProperty("Access-Control-Allow-Origin");
    expect(headers).not.toHaveProperty("Access-Control-Allow-Credentials");
  });
});
