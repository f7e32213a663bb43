import type { Page } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startRandomTrader } from "trading-terminal-devnet/evm/random-trader";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { describe, expect, it } from "vitest";
import { browserForTests, openList, rowsOf, signIn } from "./support/browser.ts";
import { marketUpdate, streamOf } from "./support/market-stream.ts";
import { chainUrl, userWithCoins } from "./support/users.ts";

const browser = browserForTests();
const { moon } = localAddresses;

const minuteMs = 60_000;
const thisMinute = Math.floor(Date.now() / minuteMs) * minuteMs;
const at = (minutes: number) => new Date(thisMinute + minutes * minuteMs).toISOString();

const candle = (minutes: number, open: string, close: string) => {
  const [low, high] = [open, close].sort();
  return { time: at(minutes), open, high, low, close, volume: "1.5", trades: 2, isFinal: true };
};

/** Opens the console with a scripted stream and stored candles. */
async function openMarkets(user: string, candles: object[] = [], query = "") {
  const visit = await browser.visit("about:blank");
  const { page } = visit;
  const stream = await streamOf(page);
  await page.route("**/candles?**", (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const interval = asked.get("interval") ?? "";
    const shown = ["1m", "1h", "1d"].includes(interval) ? candles : [];
    const data = { interval, currency: asked.get("currency"), history: "complete" };
    return route.fulfill({ json: { success: true, data: { ...data, revision: 0, candles: shown } } });
  });
  await page.goto(new URL(`/console/${query}`, browser.runner.baseUrl).href);
  await signIn(page, user);
  await page.getByRole("button", { name: "MOON", exact: true }).waitFor();
  return { ...visit, stream, market: page.getByRole("region", { name: "MOON" }) };
}

/** Opens the console on bsc with the service's real stream and candles. */
async function openReal(user: string) {
  const visit = await browser.visit("/console/");
  await signIn(visit.page, user);
  await visit.page.getByRole("region", { name: "Trade" }).getByLabel("Chain").selectOption("bsc");
  return visit;
}

const chart = (page: Page) => page.locator(".chart.candles");
const drawn = async (page: Page) => {
  const [bars, last, marks] = await Promise.all(
    ["data-bars", "data-last", "data-marks"].map((name) => chart(page).getAttribute(name)),
  );
  return { bars: Number(bars), last: Number(last), marks: Number(marks) };
};

const filledBuy = {
  orderId: "o-1",
  chain: "eth",
  token: moon,
  symbol: "MOON/ETH",
  side: "buy",
  type: "market",
  wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  amount: "0.1",
  status: "filled",
  version: 1,
  filledAmount: "0.1",
  receivedAmount: "1000",
  averagePrice: "0.0001",
  stage: "done",
  // The order became final a minute later, which must not move its mark in the chart.
  createdAt: at(-2),
  updatedAt: at(-1),
  settled: true,
};

const position = {
  positionId: "p-1",
  chain: "eth",
  token: moon,
  symbol: "MOON/ETH",
  status: "open",
  version: 1,
  wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  amount: "1000",
  cost: "0.1",
  averageEntryPrice: "0.0001",
  realizedPnl: "0",
  openedAt: at(-2),
  updatedAt: at(-2),
};

const resting = {
  ...filledBuy,
  orderId: "o-2",
  side: "sell",
  type: "oco",
  status: "open",
  stage: "resting",
  settled: false,
  filledAmount: "0",
  receivedAmount: undefined,
  averagePrice: undefined,
  amount: "1000",
  takeProfit: { price: "0.00018" },
  stopLoss: { stopPrice: "0.00009", price: "0.000072" },
  attention: [{ code: "INSUFFICIENT_BALANCE", since: at(-1) }],
};

const update = (channel: string, record: object) => ({
  type: "update",
  channel,
  time: new Date().toISOString(),
  data: [record],
});

describe("the market chart beside the trade ticket", () => {
  it("draws candles in coin and dollars, with streamed minute candles, the user's own fills, and flags", async () => {
    const stored = [candle(-5, "0.0001", "0.00011"), candle(-3, "0.00011", "0.0001")];
    const { page, stream, market, complaints, context } = await openMarkets("mona", stored);
    await market.getByText("MOON").waitFor();
    const minutes = [{ ...candle(0, "0.0001", "0.00012"), isFinal: undefined, coinUsd: "2600" }];
    const known = { chain: "eth", token: moon, price: "0.00012", priceUsd: "0.312", liquidity: "2" };
    stream.send(marketUpdate({ ...known, change24h: 20, flags: ["THIN", "GAPS"], minutes }));
    stream.send(update("orders", filledBuy));
    await market.getByText("0.00012 ETH").waitFor();
    await market.getByText("$0.312").waitFor();
    // The first known candle is five minutes old.
    await market.getByText(/^\+20 % in [5-9] min$/).waitFor();
    await market.getByText(/^Age at least [5-9] min$/).waitFor();
    await market.getByText("Thin: a small order moves the price").waitFor();
    await market.getByText("Gaps: swaps may be missing").waitFor();
    await market.getByText(/^\d+ s old$/).waitFor();
    // Minutes without trades repeat the last close, including those that pass during the test.
    const passed = () => Math.floor((Date.now() - thisMinute) / minuteMs);
    await expect
      .poll(async () => {
        const { bars, ...rest } = await drawn(page);
        return { bars: bars - passed(), ...rest };
      })
      .toEqual({ bars: 6, last: 0.00012, marks: 1 });

    const subscriptions = stream.sent.filter(({ tokens = [] }) => tokens.some(({ token }) => token === moon));
    expect(subscriptions).toHaveLength(1);

    await market.getByText("USD", { exact: true }).click();
    await expect.poll(async () => (await drawn(page)).last).toBe(0.312);
    await market.getByText("ETH", { exact: true }).click();
    await market.getByText("5m", { exact: true }).click();
    await expect.poll(async () => (await drawn(page)).last).toBe(0.00012);
    expect(page.url()).toContain(`chain=eth&token=${moon}&interval=5m`);
    await page.goBack();
    expect(await market.getByRole("radio", { name: "1m", exact: true }).isChecked()).toBe(true);
    await page.goForward();
    await market.getByRole("radio", { name: "5m", exact: true, checked: true }).waitFor();
    stream.send(
      marketUpdate({ ...known, minutes: [{ ...candle(0, "0.0001", "0.00013"), isFinal: undefined }] }),
    );
    await expect.poll(async () => (await drawn(page)).last).toBe(0.00013);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("compares the market's price with an order's and a quote's, and marks fills without candles", async () => {
    const { page, stream, context } = await openMarkets("nils");
    const { taxd } = localAddresses;
    stream.send(update("orders", { ...resting, token: taxd, symbol: "TAXD/ETH" }));
    await openList(page, "Resting");
    const row = rowsOf(page, "Resting orders").filter({ hasText: "TAXD" });
    await row.getByText("0.00018, stop 0.00009 ETH").waitFor();
    await row.getByText("insufficient balance").waitFor();
    await expect
      .poll(() => stream.sent.some(({ tokens = [] }) => tokens.some(({ token }) => token === taxd)))
      .toBe(true);
    for (const [price, distances] of [
      ["0.00012", "+50 %, stop −25 %"],
      ["0.0001", "+80 %, stop −10 %"],
    ] as const) {
      stream.send(marketUpdate({ chain: "eth", token: taxd, price, priceUsd: "0.3", symbol: "TAXD" }));
      await row.getByText(distances).waitFor();
    }
    stream.send(marketUpdate({ chain: "eth", token: moon, price: "0.00005", priceUsd: "0.13" }));
    await page.getByText(/^\d+ % above the market price$/).waitFor();
    stream.send(update("orders", filledBuy));
    await expect.poll(async () => (await drawn(page)).marks).toBe(1);
    await context.close();
  });

  it("draws candles of Solana tokens, although their swaps have not been counted", async () => {
    const { volume: _, trades: __, ...uncounted } = candle(-2, "0.0001", "0.00012");
    const { tokens } = await solDeployment();
    const link = `?chain=sol&token=${tokens.MOON.mint}&interval=7m`;
    const { page, complaints, context } = await openMarkets("mona", [uncounted], link);
    await page.getByText("The link names no known interval: “7m”").waitFor();
    await expect.poll(async () => (await drawn(page)).last).toBe(0.00012);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

/** Milliseconds to wait, because the service starts reading the market only when the test opens it. */
const patience = { timeout: 30_000 };

describe("two browsers with one market", () => {
  it("shows the same live candles in both browsers", async () => {
    // Avoids eth, because other test files request quotes there and need stable prices.
    const bsc = { chain: "bsc", url: await chainUrl("bsc") } as const;
    const visits = await Promise.all(["pia", "quinn"].map((user) => openReal(user)));
    const trader = startRandomTrader({
      chains: [bsc],
      watched: async () => [{ chain: "bsc", token: moon }],
      onFailure: (error) => expect.unreachable(String(error)),
    });
    const all = () => Promise.all(visits.map(({ page }) => drawn(page)));
    const isSame = ([one, other]: Awaited<ReturnType<typeof all>>) =>
      one !== undefined &&
      other !== undefined &&
      one.bars > 0 &&
      one.bars === other.bars &&
      one.last === other.last;
    // Waits for swaps, because a market without any has no chart.
    await Promise.all(visits.map(({ page }) => chart(page).waitFor()));
    await expect.poll(async () => isSame(await all()), patience).toBe(true);
    const [before] = await all();
    await expect.poll(async () => (await all())[0]?.last, patience).not.toBe(before?.last);
    await trader.stop();
    await expect.poll(async () => isSame(await all()), patience).toBe(true);
    await Promise.all(visits.map(({ context }) => context.close()));
  });
});

describe("open positions", () => {
  it("values positions at the market price, or by a sale in a thin pool, and not if the market is stale", async () => {
    const { page, stream, context } = await openMarkets("nina");
    const positions = page.getByRole("region", { name: "Positions" });
    stream.send(update("positions", position));
    const known = { chain: "eth", token: moon, liquidity: "2" };
    stream.send(marketUpdate({ ...known, price: "0.00012" }));
    await positions.getByText("+0.02 ETH (+20 %) +$52.00").waitFor();
    const totals = positions.getByRole("region", { name: "Totals" });
    await totals.getByText("$312.00", { exact: true }).first().waitFor();
    expect(await totals.getByText("have a value").count()).toBe(0);
    await positions.getByText("0.0001 ETH", { exact: true }).waitFor();
    stream.send(marketUpdate({ ...known, price: "0.00008" }));
    await positions.getByText("−0.02 ETH (−20 %) −$52.00").waitFor();

    stream.send(marketUpdate({ ...known, price: "0.00012", liquidity: "0.02", flags: ["THIN"] }));
    await positions.getByText("if sold now, thin: 0.12 ETH at the price").waitFor();
    stream.send(marketUpdate({ ...known, price: "0.00012", flags: ["STALE"] }));
    await positions.getByText("its market is stale").waitFor();
    await totals.getByText("0 of 1 have a value").waitFor();
    expect(await positions.locator(".profit").innerText()).toBe("–");
    await context.close();
  });

  it("greys out a position's profit once its market is ten seconds old", async () => {
    const { page, stream, context } = await openMarkets("olga");
    stream.send(update("positions", position));
    const known = { chain: "eth", token: moon, liquidity: "2", price: "0.00012" };
    stream.send(marketUpdate(known, "2600", Date.now() - 11_000));
    const profit = page.getByRole("region", { name: "Positions" }).locator(".profit");
    await profit.getByText("+0.02 ETH").waitFor();
    await page.locator(".profit.old").waitFor();
    stream.send(marketUpdate(known));
    await page.locator(".profit:not(.old)").waitFor();
    await context.close();
  });
});

describe("the token search", () => {
  it("finds tokens by name, warns of imitations, and selects by keyboard without buying", async () => {
    const { page, context } = await openMarkets(await userWithCoins("finn", "base"));
    const orders: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/orders")) orders.push(request.url());
    });
    const fake = `0x${"ab".repeat(20)}`;
    await page.route("**/api/v2/tokens?query=moon", async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const imitation = { chain: "base", token: fake, symbol: "M00N", name: "Moon 🌕", decimals: 18 };
      json.data.tokens.push({ ...imitation, listed: false, flags: ["IMPERSONATES"] });
      await route.fulfill({ response, json });
    });
    const field = page.getByRole("combobox", { name: /^Token/ });
    await page.locator("body").press("/");
    await page.keyboard.type("moon");
    const found = page.getByRole("listbox", { name: "Found tokens" }).getByRole("option");
    await found.filter({ hasText: "imitates the name of a listed token" }).waitFor();
    expect(await page.locator(".place-bar button").isDisabled()).toBe(true);
    const base = found.filter({ hasText: "Base" }).filter({ hasText: "listed" }).first();
    const wanted = await base.evaluate((option) =>
      [...(option.parentElement?.children ?? [])].indexOf(option),
    );
    // The first press marks the first result.
    for (let press = 0; press <= wanted; press++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("MOON");
    expect(await field.getAttribute("title")).toBe(moon);
    expect(await page.getByRole("region", { name: "Trade" }).getByLabel("Chain").inputValue()).toBe("base");
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    await page.keyboard.press("Enter");
    await field.fill("no such token");
    await page.getByText("No token has this name.").waitFor();
    await page.keyboard.press("Escape");
    expect(await found.count()).toBe(0);
    expect(orders).toEqual([]);
    await context.close();
  });
});
