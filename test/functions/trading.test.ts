import "./environment.ts";
import { BatchGetCommand, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { handler as inspectToken } from "../../functions/inspectToken/handler.ts";
import { handler as listTokens } from "../../functions/listTokens/handler.ts";
import { handler as quoteOrder } from "../../functions/quoteOrder/handler.ts";
import { handler as readBalances } from "../../functions/readBalances/handler.ts";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { badBodies, badContentTypes, unknownFields } from "../cases/bad-bodies.ts";
import { restEvent } from "../support/events.ts";
import { mockFunctions } from "../support/function-mocks.ts";

const { table, logged, fetched } = mockFunctions();

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const token = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const wrong = token.replace("F", "f");
const buy = { chain: "eth", side: "buy", token, amount: "0.5" };

type Parts = Parameters<typeof restEvent>[0];

const handlers = { listTokens, inspectToken, readBalances, quoteOrder };

async function answerOf(name: keyof typeof handlers, parts: Parts) {
  const { statusCode, headers, body } = await handlers[name](restEvent(parts));
  return { statusCode, headers, text: body, body: JSON.parse(body) };
}

/** A valid request for each operation that queries a chain. */
const asking = {
  inspectToken: (chain: string) => ({ path: { chain, token } }),
  readBalances: (chain: string) => ({ query: { chain } }),
  quoteOrder: (chain: string) => ({ body: { ...buy, chain } }),
};
const askers = Object.entries(asking) as [keyof typeof asking, (chain: string) => Parts][];

describe("listTokens", () => {
  it("lists the coin and tokens of each chain without querying hosts", async () => {
    const { statusCode, body } = await answerOf("listTokens", {});
    expect(statusCode).toBe(200);
    const chains = new Set(body.data.tokens.map(({ chain }: { chain: string }) => chain));
    expect([...chains]).toEqual(evmChains);
    expect(body.data.tokens[0]).toEqual({
      chain: "eth",
      token: "native",
      symbol: "ETH",
      name: "Ether",
      decimals: 18,
    });
    expect(fetched).not.toHaveBeenCalled();
  });

  it("lists the tokens of one chain", async () => {
    const { body } = await answerOf("listTokens", { query: { chain: "bsc" } });
    expect(body.data.tokens[0]).toMatchObject({ chain: "bsc", token: "native", symbol: "BNB" });
    expect(body.data.tokens.some((each: { wrapped?: boolean }) => each.wrapped)).toBe(true);
  });

  it("refuses a chain on which this deployment does not trade, and lists the chains on which it does", async () => {
    const { statusCode, body } = await answerOf("listTokens", { query: { chain: "sol" } });
    expect(statusCode).toBe(400);
    expect(body.error).toMatchObject({ code: "UNSUPPORTED_CHAIN", details: { chains: evmChains } });
  });
});

describe.each(askers)("%s", (name, of) => {
  it("refuses a chain on which this deployment does not trade, and reads nothing", async () => {
    const { statusCode, body } = await answerOf(name, of("sol"));
    expect(statusCode).toBe(400);
    expect(body).toMatchObject({
      success: false,
      error: { code: "UNSUPPORTED_CHAIN", details: { chains: evmChains } },
    });
    expect([table.calls(), fetched.mock.calls]).toEqual([[], []]);
  });

  const huge = () =>
    new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)) });
  const answers: [string, () => Response | Promise<Response>][] = [
    ["cannot be reached", () => Promise.reject(new TypeError("secret.example refused"))],
    ["answer with HTML", () => new Response("<html>secret.example</html>")],
    ["answer with garbage", () => new Response('{"jsonrpc":"2.0"')],
    ["answer with nothing", () => new Response("")],
    ["answer with an error", () => new Response("secret.example", { status: 500 })],
    ["send without end", () => new Response(huge())],
    [
      "are of another chain",
      () => new Response(JSON.stringify([{ jsonrpc: "2.0", id: 1, result: "0x539" }])),
    ],
  ];

  it.each(answers)("responds with 503 if the hosts of the chain %s", async (_, answer) => {
    fetched.mockImplementation(async () => answer());
    table.on(GetCommand).resolves({});
    table.on(QueryCommand).resolves({ Items: [{ network: "eth", generatedWalletAddress: wallet }] });
    table.on(BatchGetCommand).resolves({ Responses: {} });
    const { statusCode, headers, text, body } = await answerOf(name, of("eth"));
    expect(statusCode, text).toBe(503);
    expect(headers?.["Retry-After"]).toMatch(/^\d+$/);
    expect(body.error).toEqual({ code: "CHAIN_UNAVAILABLE", message: "The chain cannot be reached now" });
    expect(JSON.stringify([text, logged()])).not.toMatch(/example|llamarpc|publicnode/);
    expect(fetched.mock.calls.length).toBeGreaterThan(1);
  });
});

/** Requests with one mistake each. Tests of the schemas cover more of them. */
const bad: [keyof typeof handlers, Parts, string][] = [
  ["listTokens", { query: { chain: "ethereum" } }, "chain"],
  ["listTokens", { query: { symbol: "MOON" } }, "symbol"],
  ["inspectToken", { path: { chain: "eth", token: "native" } }, "token"],
  ["inspectToken", { path: { chain: "eth", token: wrong } }, "token"],
  ["inspectToken", { path: { chain: "eth", token }, query: { block: "1" } }, "block"],
  ["readBalances", { query: {} }, "chain"],
  ["readBalances", { query: { chain: "eth", wallet: wallet.replace("F", "f") } }, "wallet"],
  ["readBalances", { query: { chain: "eth", token: wrong } }, "token"],
  ["readBalances", { query: { chain: "eth", userID: "bob" } }, "userID"],
  ["quoteOrder", { body: { ...buy, amount: 0.5 } }, "amount"],
  ["quoteOrder", { body: { ...buy, amount: "0" } }, "amount"],
  ["quoteOrder", { body: { ...buy, amount: "-1" } }, "amount"],
  ["quoteOrder", { body: { ...buy, token: "native" } }, "token"],
  ["quoteOrder", { body: { ...buy, token: wrong } }, "token"],
  ["quoteOrder", { body: { ...buy, wallet: wallet.replace("F", "f") } }, "wallet"],
  ["quoteOrder", { body: buy, query: { dryRun: "1" } }, "dryRun"],
];

describe("an unreadable request", () => {
  it.each(bad)("refuses an unreadable request to %s and names its field: %j", async (name, parts, field) => {
    const { statusCode, body } = await answerOf(name, parts);
    expect(statusCode).toBe(400);
    expect(body.error).toMatchObject({ code: "INVALID_REQUEST", details: { field } });
    expect(body.error.message).toContain(field);
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe("quoteOrder", () => {
  const refused = async (parts: Parts, status: number) => {
    const { statusCode, body } = await answerOf("quoteOrder", parts);
    expect(statusCode).toBe(status);
    expect(body).toMatchObject({ success: false, error: { message: expect.any(String) } });
    expect([table.calls(), fetched.mock.calls]).toEqual([[], []]);
    return body.error.message;
  };
  const good = JSON.stringify(buy);

  it.each(badBodies)("refuses $title", async ({ body }) => {
    const value = body(good);
    await refused({ body: value instanceof Uint8Array ? Buffer.from(value).toString() : value }, 400);
  });

  it.each(unknownFields)("refuses $title among valid fields, and names it", async ({ value }) => {
    expect(await refused({ body: good.replace("{", `{${value.json},`) }, 400)).toMatch(value.names);
  });

  it.each(badContentTypes)("refuses $title with 415", async ({ value: [type] }) => {
    const headers: Record<string, string> = type === undefined ? {} : { "Content-Type": type };
    await refused({ headers, body: good }, 415);
  });

  it("refuses a wallet of another user as if it did not exist", async () => {
    table.on(GetCommand).resolves({});
    table.on(QueryCommand).resolves({ Items: [] });
    table.on(BatchGetCommand).resolves({ Responses: {} });
    const { statusCode, body } = await answerOf("quoteOrder", { body: { ...buy, wallet } });
    expect(statusCode).toBe(404);
    expect(body.error.code).toBe("WALLET_NOT_FOUND");
    expect(fetched).not.toHaveBeenCalled();
  });
});
