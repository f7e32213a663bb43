import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { beforeAll, describe, expect, it } from "vitest";
import { newEvmKey } from "../../support/keys.ts";
import { get, post } from "../support/client.ts";
import { timestamp } from "../support/shapes.ts";
import { changeSettings, importWallet } from "../support/terminal.ts";
import { knownUser, newUser, type User } from "../support/users.ts";

const { moon, star, taxd, trap } = localAddresses;
const { TRAP, FEEZ } = (await solDeployment()).tokens;
const chains = ["eth", "base", "bsc", "avax"];

/** Address of a wallet without coins or tokens. */
const { address: wallet, privateKey } = newEvmKey();

let user: User;
beforeAll(async () => {
  user = await newUser();
  for (const network of chains) await importWallet(user, { network, privateKey });
});

const read = async (path: string) => {
  const { status, json } = await get(path, user);
  return { status, json: json as { data: Record<string, never>; error: object } };
};

describe("GET /api/v2/tokens", () => {
  it("lists a chain's coin and tokens", async () => {
    const { json } = await read("/api/v2/tokens?chain=bsc");
    expect(json).toMatchObject({ success: true, timestamp });
    const tokens: { token: string; symbol: string }[] = json.data.tokens as never;
    expect(tokens[0]).toMatchObject({ chain: "bsc", token: "native", symbol: "BNB" });
    expect(tokens).toContainEqual({ chain: "bsc", token: moon, symbol: "MOON", name: "Moon", decimals: 18 });
    expect(tokens.map(({ token }) => token)).not.toContain(trap);
  });
});

describe("GET /api/v2/tokens/{chain}/{token}", () => {
  it.each([
    [moon, { symbol: "MOON", listed: true, sellable: true, buyTax: 0, sellTax: 0, flags: [] }],
    [trap, { symbol: "TRAP", listed: false, sellable: false, flags: ["NOT_LISTED", "CANNOT_SELL"] }],
    [taxd, { symbol: "TAXD", sellable: true, buyTax: 5, sellTax: 5, flags: ["NOT_LISTED", "TAXED"] }],
  ])("inspects %s by simulating a purchase and a sale", async (token, found) => {
    expect(await read(`/api/v2/tokens/eth/${token.toLowerCase()}`)).toMatchObject({
      status: 200,
      json: { success: true, data: { token: { chain: "eth", token, ...found, asOf: timestamp } } },
    });
  });

  it.each([
    [TRAP.mint, { symbol: "TRAP", sellable: false, flags: expect.arrayContaining(["FROZEN_BY_DEFAULT"]) }],
    [FEEZ.mint, { symbol: "FEEZ", sellable: true, buyTax: 1, sellTax: 1 }],
  ])("inspects %s on sol", async (token, found) => {
    expect(await read(`/api/v2/tokens/sol/${token}`)).toMatchObject({ json: { data: { token: found } } });
  });

  it("returns 404 for an address without a token", async () => {
    expect(await read(`/api/v2/tokens/eth/${wallet}`)).toMatchObject({
      status: 404,
      json: { success: false, error: { code: "TOKEN_NOT_FOUND" } },
    });
  });
});

describe("GET /api/v2/balances", () => {
  it("returns the balances of a wallet", async () => {
    const { json } = await read(`/api/v2/balances?chain=avax&wallet=${wallet}`);
    expect(json.data).toMatchObject({ chain: "avax", block: expect.any(Number), asOf: timestamp });
    expect(json.data.balances?.[0]).toEqual({
      wallet,
      token: "native",
      symbol: "AVAX",
      decimals: 18,
      amount: "0",
      reserved: "0",
      available: "0",
    });
  });

  it("returns 404 for the wallet of another user", async () => {
    const { status, json } = await get(`/api/v2/balances?chain=eth&wallet=${wallet}`, await knownUser());
    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { code: "WALLET_NOT_FOUND" } });
  });
});

describe("POST /api/v2/quotes", () => {
  it.each(chains)("quotes a buy on %s", async (chain) => {
    const body = { chain, wallet, side: "buy", token: moon, amount: "0.5" };
    const { status, json } = await post("/api/v2/quotes", { token: user.token, body });
    expect(status, JSON.stringify(json)).toBe(200);
    expect(json).toMatchObject({
      success: true,
      data: {
        quote: {
          ...body,
          amountOut: "4960.273038901078125544",
          minAmountOut: "4910.670308512067344288",
          slippage: 1,
          priceImpact: 0.496,
          route: [{ feeBps: 30 }],
          balances: [{ token: "native", available: "0", enough: false }],
          wouldBeRefused: { code: "INSUFFICIENT_BALANCE", details: { token: "native", available: "0" } },
        },
      },
    });
  });

  it("quotes a token that only pools with another token trade, through two pools", async () => {
    const body = { chain: "eth", side: "buy", token: star, amount: "0.5" };
    const { json } = await post("/api/v2/quotes", { token: user.token, body });
    expect(json).toMatchObject({
      data: { quote: { symbol: "STAR/ETH", baseSymbol: "STAR", quoteSymbol: "ETH", route: [{}, {}] } },
    });
  });

  it("applies the user's settings for the chain", async () => {
    const trader = await knownUser();
    await changeSettings(trader, "base", { slippage: 2.5 });
    const body = { chain: "base", side: "buy", token: moon, amount: "0.5" };
    const { json } = await post("/api/v2/quotes", { token: trader.token, body });
    expect(json).toMatchObject({
      data: { quote: { slippage: 2.5, minAmountOut: "4836.266212928551172405" } },
    });
  });

  it("returns 400 and names the field if it is unreadable", async () => {
    const body = { chain: "eth", side: "buy", token: moon, amount: 0.5 };
    const { status, json } = await post("/api/v2/quotes", { token: user.token, body });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { code: "INVALID_REQUEST", details: { field: "amount" } } });
  });

  it("rejects an amount that exceeds every pool with 400, in quotes and orders", async () => {
    const body = { chain: "eth", wallet, side: "buy", token: moon, amount: "9".repeat(40) };
    const asked = { token: user.token, body };
    const order = { ...asked, body: { ...body, type: "market" }, headers: { "Idempotency-Key": "huge" } };
    for (const answer of [await post("/api/v2/quotes", asked), await post("/api/v2/orders", order)])
      expect(answer).toMatchObject({
        status: 400,
        json: { success: false, error: { code: "INVALID_REQUEST", details: { field: "amount" } } },
      });
  });
});
