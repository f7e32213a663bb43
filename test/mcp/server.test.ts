import { readFileSync } from "node:fs";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createServer } from "trading-terminal-mcp";
import { describe, expect, it } from "vitest";
import { envelope, refusal, type Scripted, scripted } from "../client/support/fake-service.ts";

const terms = { chain: "eth", wallet: "0xW", token: "0xT", amount: "0.10" };
const quote = {
  amount: "0.1",
  amountOut: "99",
  minAmountOut: "98",
  sellable: true,
  buyTax: 0,
  sellTax: 0,
  flags: [],
  warnings: [],
};
const trial = envelope({ dryRun: true, quote });
const placed = envelope({ order: { orderId: "o-1" }, warnings: [] });

/** Connects a real client to a server whose service gives these answers. */
async function agentOf(...answers: Scripted[]) {
  const { terminal, sent, clock } = scripted(answers);
  let nowMs = 0;
  const server = createServer(terminal, { quoteSeconds: 60, nowMs: () => nowMs });
  const client = new Client({ name: "test", version: "1" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    sent,
    tools: async () => (await client.listTools()).tools,
    // biome-ignore lint/suspicious/noExplicitAny: A client has no types of the answers.
    async call(name: string, args: object = {}): Promise<any> {
      let isWaiting = true;
      const calling = client.callTool({ name, arguments: { ...args } }).finally(() => {
        isWaiting = false;
      });
      while (isWaiting) await clock.advance(clock.timers() > 0 ? 1000 : 0);
      const result = await calling;
      expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(result.structuredContent);
      expect("error" in Object(result.structuredContent)).toBe(result.isError === true);
      return result.structuredContent;
    },
    pass(seconds: number) {
      nowMs += seconds * 1000;
    },
  };
}

describe("the tools", async () => {
  const { tools } = await agentOf();
  const list = await tools();

  it("mark which of them change nothing", () => {
    const changing = list.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    expect(changing).toEqual(["cancel_order", "cancel_all_orders", "buy", "sell", "place_resting_order"]);
    expect(list).toHaveLength(16);
  });

  it("are listed in docs/agents.md", () => {
    const [, table = ""] = readFileSync("docs/agents.md", "utf8").split("| Tool | What it does |");
    const named = [...(table.split("\n\n")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(list.map(({ name }) => name).toSorted());
  });

  it("take every amount and price as text, and refuse unknown arguments", () => {
    const properties = list.flatMap(({ inputSchema }) => Object.entries(inputSchema.properties ?? {}));
    const amounts = properties.filter(([name]) => /amount|price/i.test(name));
    expect(amounts.length).toBeGreaterThan(6);
    expect(amounts.filter(([, schema]) => (schema as { type: string }).type !== "string")).toEqual([]);
    expect(list.every(({ inputSchema }) => inputSchema.additionalProperties === false)).toBe(true);
  });

  it("say of each that spends money that it answers a dry run first", () => {
    const spending = list.filter(({ inputSchema }) => "quoteId" in (inputSchema.properties ?? {}));
    expect(spending.map(({ name }) => name)).toEqual(["buy", "sell", "place_resting_order"]);
    for (const { description } of spending) expect(description).toContain("Without quoteId, nothing happens");
  });
});

describe("an argument", () => {
  it.each([
    [
      "a number for an amount",
      { amount: 0.1 },
      "amount",
      'text with digits, such as "0.5", and not a number',
    ],
    ["a negative amount", { amount: "-1" }, "amount", "text with digits"],
    ["an exponent", { amount: "1e3" }, "amount", "text with digits"],
    ["an unknown chain", { chain: "doge" }, "chain", "one of eth, base, bsc, avax, sol"],
    ["an empty address", { token: "" }, "token", "must be text"],
    ["a percentage beyond the limit", { slippage: 51 }, "slippage", "a number from 0.0001 to 50"],
    ["text for a switch", { allowUnsafe: "yes" }, "allowUnsafe", "true or false"],
    ["a missing wallet", { wallet: undefined }, "wallet", "is missing"],
    ["a misspelt name", { ammount: "1" }, "ammount", "is unknown"],
  ])("refuses %s, naming the field, and sends nothing", async (_, change, field, message) => {
    const { call, sent } = await agentOf(trial);
    const { error } = await call("buy", { ...terms, ...change });
    expect(error).toMatchObject({
      code: "INVALID_REQUEST",
      field,
      message: expect.stringContaining(message),
    });
    expect(error.next).toContain("Correct the argument");
    expect(sent).toEqual([]);
  });
});

it.each([0.0001, 50])("an argument may be at its limit of %d", async (slippage) => {
  const { call } = await agentOf(trial);
  expect(await call("buy", { ...terms, slippage })).toHaveProperty("quoteId");
});

describe("a tool that spends money", () => {
  it("sends only a dry run without a quoteId", async () => {
    const { call, sent } = await agentOf(trial);
    const { quoteId, expiresAt, next } = await call("buy", terms);
    expect(sent.map(({ body }) => body)).toEqual([{ type: "market", side: "buy", ...terms, dryRun: true }]);
    expect([quoteId, expiresAt]).toEqual([
      expect.stringMatching(/^[\da-f-]{36}$/),
      "1970-01-01T00:01:00.000Z",
    ]);
    expect(next).toContain("Nothing is placed yet");
  });

  it("places what was quoted, with the minimum that the quote showed, under the key of the quote", async () => {
    const { call, sent } = await agentOf(trial, placed);
    const { quoteId } = await call("sell", { ...terms, amount: undefined, percent: 50, slippage: 2 });
    await call("sell", { ...terms, amount: undefined, percent: 50, slippage: 2, quoteId });
    const { amount: _, ...place } = terms;
    expect(sent[1]).toMatchObject({
      headers: { "Idempotency-Key": `mcp-${quoteId}` },
      body: { type: "market", side: "sell", ...place, amount: "0.1", minAmountOut: "98" },
    });
    expect(sent[1]?.body).not.toHaveProperty("percent");
    expect(sent[1]?.body).not.toHaveProperty("slippage");
  });

  it("confirms again with the same key and body, and says that it was a replay", async () => {
    const replay = { ...placed, headers: { "Idempotent-Replayed": "true" } };
    const { call, sent } = await agentOf(trial, "broken", placed, replay);
    const { quoteId } = await call("buy", terms);
    expect(await call("buy", { ...terms, quoteId })).not.toHaveProperty("replayed");
    expect((await call("buy", { ...terms, quoteId })).replayed).toContain("placed none");
    const [, first, ...others] = sent;
    expect(others).toEqual([first, first]);
  });

  it.each<[string, string, object]>([
    ["another amount", "buy", { amount: "10" }],
    ["another wallet", "buy", { wallet: "0xOther" }],
    ["an added argument", "buy", { allowUnsafe: true }],
    ["another tool", "sell", {}],
  ])("refuses to confirm %s", async (_, tool, change) => {
    const { call, sent } = await agentOf(trial, placed);
    const { quoteId } = await call("buy", terms);
    const { error } = await call(tool, { ...terms, ...change, quoteId });
    expect(error.code).toBe("QUOTE_DIFFERS");
    expect(sent).toHaveLength(1);
  });

  it("places nothing for a quote that has expired or is unknown", async () => {
    const { call, sent, pass } = await agentOf(trial, envelope({ orders: [{ clientOrderId: "mcp-x" }] }));
    const { quoteId } = await call("buy", terms);
    pass(60);
    expect((await call("buy", { ...terms, quoteId })).error.code).toBe("QUOTE_EXPIRED");
    expect((await call("buy", { ...terms, quoteId: "y" })).error.next).toContain("without quoteId");
    expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it.each([
    ["that rests", 0],
    ["that has filled", 1],
  ])("finds the order %s of an expired quote, since its answer may have been lost", async (_, list) => {
    const lists = [envelope({ orders: [] }), envelope({ orders: [] })];
    lists[list] = envelope({ orders: [{ orderId: "o-2", clientOrderId: "mcp-x" }] });
    const { call, sent } = await agentOf(...lists);
    const { order, replayed } = await call("buy", { ...terms, quoteId: "x" });
    expect([order.orderId, replayed]).toEqual(["o-2", expect.stringContaining("placed none")]);
    expect(sent.map(({ method, url }) => [method, new URL(url).search])).toEqual(
      [
        ["GET", "?status=resting"],
        ["GET", "?limit=100"],
      ].slice(0, list + 1),
    );
  });

  it("rests an order with its own slippage, and writes a pair as the API does", async () => {
    const { call, sent } = await agentOf(envelope({ dryRun: true, quote, resting: { price: "1" } }), placed);
    const pair = { ...terms, side: "sell", type: "oco", takeProfitPrice: "2", stopPrice: "0.5", slippage: 3 };
    const { quoteId, resting } = await call("place_resting_order", pair);
    await call("place_resting_order", { ...pair, quoteId });
    expect(resting).toEqual({ price: "1" });
    expect(sent[1]?.body).toEqual({
      ...{ chain: "eth", wallet: "0xW", token: "0xT", amount: "0.1", side: "sell", type: "oco", slippage: 3 },
      takeProfit: { price: "2" },
      stopLoss: { stopPrice: "0.5" },
    });
  });

  it("warns of honeypots, taxes and flags", async () => {
    const unsafe = {
      ...quote,
      sellable: false,
      buyTax: 5,
      sellTax: 30,
      flags: ["TAXED"],
      warnings: ["AMOUNT_TINY"],
    };
    const { call } = await agentOf(envelope({ dryRun: true, quote: unsafe }));
    expect((await call("buy", { ...terms, allowUnsafe: true })).warnings).toEqual([
      "A simulated sale failed: this may be a honeypot",
      "The token takes 5 % of buys and 30 % of sales",
      "TAXED",
      "AMOUNT_TINY",
    ]);
  });
});

describe("a refusal of the service", () => {
  it.each([
    [403, "KEY_LIMIT", "Stop"],
    [403, "SCOPE_MISSING", "Only the user can make a key with this scope"],
    [409, "TOKEN_UNSAFE", "honeypot"],
    [400, "INSUFFICIENT_BALANCE", "list_balances"],
    [409, "SOMETHING_NEW", "tell the user"],
  ])("keeps the status %d's code %s and message, and says what to do next", async (status, code, next) => {
    const { call } = await agentOf(refusal(status, code, { details: { rule: "maxPerOrder" } }));
    expect((await call("buy", terms)).error).toEqual({
      code,
      message: `It is ${code}`,
      details: { rule: "maxPerOrder" },
      next: expect.stringContaining(next),
    });
  });

  it("tells the agent to repeat a call whose outcome is uncertain", async () => {
    const { call } = await agentOf(trial, "silent");
    const { quoteId } = await call("buy", terms);
    const { error } = await call("buy", { ...terms, quoteId });
    expect([error.code, error.next]).toEqual(["NETWORK_ERROR", expect.stringContaining("same quoteId")]);
  });
});

describe("get_limits", () => {
  const wallets = envelope({ wallets: [{ _id: "w-1", generatedWalletAddress: "0xW" }] });

  it("shows the policy of the wallet with an address, in any case of letters", async () => {
    const { call, sent } = await agentOf(wallets, envelope({ policy: { maxPerDay: "1" } }));
    expect(await call("get_limits", { chain: "eth", wallet: "0xw" })).toMatchObject({
      policy: { maxPerDay: "1" },
    });
    expect(sent[1]?.url).toContain("/wallets/w-1/policy");
  });

  it("knows no wallet of another chain", async () => {
    const { call } = await agentOf(wallets);
    const { error } = await call("get_limits", { chain: "eth", wallet: "0xOther" });
    expect(error).toMatchObject({ code: "WALLET_NOT_FOUND", next: expect.stringContaining("list_wallets") });
  });
});
