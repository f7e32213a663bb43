import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { badBodies, badContentTypes, unknownFields } from "../../cases/bad-bodies.ts";
import { runsAll, sampled } from "../../cases/sample.ts";
import { newEvmKey } from "../../support/keys.ts";
import { type Answer, sendRaw } from "../support/client.ts";
import { expectMessage, expectNoTraceOf, expectRefusal } from "../support/expectations.ts";
import { itChangesNo } from "../support/terminal.ts";
import { someUser } from "../support/users.ts";

const { network, privateKey } = newEvmKey();

/**
 * Endpoints with a body, each with a valid one. All share one parser, so the second endpoint is tested with only a
 * sample by default.
 */
const takers = [
  { path: "/storeWallet_v2", good: { network, privateKey }, data: "wallets", all: true },
  { path: "/updateTradingSettings/eth", good: { slippage: 7.25 }, data: "settings", all: runsAll() },
] as const;

const json = "application/json";

const user = someUser();

/** Sends a request, again while the gateway refuses it because the tests send more than the endpoint's rate. */
async function send(path: string, types: string[], body: string | Uint8Array): Promise<Answer> {
  const headers: [string, string][] = [
    ["Authorization", `Bearer ${user.token}`],
    ...types.map((type) => ["Content-Type", type] as [string, string]),
  ];
  const answer = await sendRaw("POST", path, headers, body);
  if (answer.status !== 429) return answer;
  await setTimeout(1000);
  return send(path, types, body);
}

describe.each(takers)("POST $path", ({ path, good, data, all }) => {
  const goodText = JSON.stringify(good);
  const some = <Each extends { rule: string }>(cases: readonly Each[]) =>
    all ? [...cases] : sampled(cases).slice(0, 2);

  it.each(some(badBodies))("refuses $title with 400", async ({ body }) => {
    const answer = await send(path, [json], body(goodText));

    expectMessage(answer, 400);
    expectNoTraceOf(privateKey, answer);
  });

  it.each(some(unknownFields))("refuses $title among valid fields, and names it", async ({ value }) => {
    const body = goodText.replace("{", `{${value.json},`);

    const answer = await send(path, [json], body);

    expectMessage(answer, 400, value.names);
    expect(answer.text.length).toBeLessThan(500);
    expectNoTraceOf(privateKey, answer);
  });

  it("never quotes a private key that was sent as a field's name", async () => {
    const body = JSON.stringify({ ...good, [privateKey]: "eth", [privateKey.slice(2)]: "eth" });

    const answer = await send(path, [json], body);

    expectMessage(answer, 400);
    expectNoTraceOf(privateKey, answer);
  });

  it("refuses a body of 9 MB", async () => {
    expectRefusal(await send(path, [json], "x".repeat(9_000_000)), 400, 413);
  });

  it.each(some(badContentTypes))("refuses a valid body sent with $title, with 415", async ({ value }) => {
    const answer = await send(path, value, goodText);

    expectMessage(answer, 415, /application\/json/);
    expectNoTraceOf(privateKey, answer);
  });

  itChangesNo(data, user);
});

describe("a POST", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
    "  application/json  ",
  ])("accepts JSON sent as %j", async (type) => {
    const answer = await send("/updateTradingSettings/eth", [type], "{}");

    expect(answer.status, answer.text).toBe(200);
  });

  it("accepts JSON with spaces and line breaks around it", async () => {
    const answer = await send("/updateTradingSettings/eth", [json], " \r\n\t{ } \n");

    expect(answer.status, answer.text).toBe(200);
  });
});
