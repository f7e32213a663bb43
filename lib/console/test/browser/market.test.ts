import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { brokenRules } from "../support/browser.ts";
import { isFocused, openList, rowsOf } from "../support/desk.ts";
import { answered, desksForTests, refused } from "../support/scripted-desk.ts";
import {
  moon,
  orderNumber,
  positionNumber,
  restingNumber,
  type ScriptedStream,
  usdx,
} from "../support/scripted-service.ts";

const openDesk = desksForTests();

const minuteMs = 60_000;
const thisMinute = Math.floor(Date.now() / minuteMs) * minuteMs;
const at = (minutes: number) => new Date(thisMinute + minutes * minuteMs).toISOString();

const candle = (minutes: number, open: string, close: string) => {
  const [low, high] = [open, close].sort();
  return { time: at(minutes), open, high, low, close, volume: "1.5", trades: 2, isFinal: true };
};

/** A minute that has not ended. */
const openCandle = (close: string) => ({
  ...candle(0, "0.0001", close),
  isFinal: undefined,
  coinUsd: "2600",
});

/** Answers requests for candles of a minute, an hour or a day. */
const withCandles = (candles: readonly object[]) => (page: Page) =>
  page.route("**/candles?**", (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const interval = asked.get("interval") ?? "";
    const data = { interval, currency: asked.get("currency"), history: "complete", revision: 0 };
    return route.fulfill(
      answered({ ...data, candles: ["1m", "1h", "1d"].includes(interval) ? candles : [] }),
    );
  });

let block = 1_000_000;

/** Builds a price update with one market, which its chain's newest block has just changed. */
function marketUpdate(market: { price: string } & Record<string, unknown>, headMs = Date.now()) {
  const time = new Date().toISOString();
  block += 1;
  const coin = {
    chain: "eth",
    symbol: "ETH",
    price: "2600",
    currency: "USD",
    source: "simulated",
    asOf: time,
  };
  const token = { chain: "eth", token: moon, symbol: "MOON", decimals: 18, flags: [], liquidity: "2" };
  return {
    ...update("prices", coin, { ...token, revision: 1_000_000_000, block, asOf: time, ...market }),
    heads: { eth: { block, time: new Date(headMs).toISOString() } },
  };
}

const update = (channel: string, ...data: object[]) => ({
  type: "update",
  channel,
  time: new Date().toISOString(),
  data,
});

const subscriptionsTo = ({ sent }: ScriptedStream, address: string) =>
  sent.filter(({ tokens = [] }) => tokens.some(({ token }) => token === address));

/** Waits until the page follows a token, because it ignores the markets of others. */
const following = (stream: ScriptedStream, address: string) =>
  expect.poll(() => subscriptionsTo(stream, address).length).toBeGreaterThan(0);

const drawn = async (page: Page) => {
  const [bars, last, marks] = await Promise.all(
    ["data-bars", "data-last", "data-marks"].map((name) => page.locator(".chart.candles").getAttribute(name)),
  );
  return { bars: Number(bars), last: Number(last), marks: Number(marks) };
};

/** A buy that became final a minute later, which must not move its mark in the chart. */
const filledBuy = orderNumber(0, { createdAt: at(-2), updatedAt: at(-1) });

describe("the market chart next to the trade ticket", () => {
  it("draws candles in coin and dollars, with streamed minute candles, the user's own fills, and flags", async () => {
    const stored = [candle(-5, "0.0001", "0.00011"), candle(-3, "0.00011", "0.0001")];
    const { page, stream, complaints, context } = await openDesk({ prepare: withCandles(stored) });
    const market = page.getByRole("region", { name: "MOON" });
    const known = { price: "0.00012", priceUsd: "0.312" };
    const minutes = [openCandle("0.00012")];
    await following(stream, moon);
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

    expect(subscriptionsTo(stream, moon)).toHaveLength(1);

    await market.getByText("USD", { exact: true }).click();
    await expect.poll(async () => (await drawn(page)).last).toBe(0.312);
    await market.getByText("ETH", { exact: true }).click();
    await market.getByText("5m", { exact: true }).click();
    await expect.poll(async () => (await drawn(page)).last).toBe(0.00012);
    await expect.poll(() => page.url()).toContain(`chain=eth&token=${moon}&interval=5m`);
    await page.goBack();
    await market.getByRole("radio", { name: "1m", exact: true, checked: true }).waitFor();
    await page.goForward();
    await market.getByRole("radio", { name: "5m", exact: true, checked: true }).waitFor();
    stream.send(marketUpdate({ ...known, minutes: [openCandle("0.00013")] }));
    await expect.poll(async () => (await drawn(page)).last).toBe(0.00013);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("compares the market's price with an order's and a quote's, and marks fills without candles", async () => {
    const { page, stream, context } = await openDesk({ prepare: withCandles([]) });
    const pair = {
      token: usdx,
      symbol: "TAXD/ETH",
      type: "oco",
      takeProfit: { price: "0.00018" },
      stopLoss: { stopPrice: "0.00009", price: "0.000072" },
      attention: [{ code: "INSUFFICIENT_BALANCE", since: at(-1) }],
    };
    stream.send(update("orders", restingNumber(2, pair as object)));
    await openList(page, "Resting");
    const row = rowsOf(page, "Resting orders").filter({ hasText: "TAXD" });
    await row.getByText("0.00018, stop 0.00009 ETH").waitFor();
    await row.getByText("insufficient balance").waitFor();
    await following(stream, usdx);
    for (const [price, distances] of [
      ["0.00012", "+50 %, stop −25 %"],
      ["0.0001", "+80 %, stop −10 %"],
    ] as const) {
      stream.send(marketUpdate({ token: usdx, price, symbol: "TAXD" }));
      await row.getByText(distances).waitFor();
    }
    await following(stream, moon);
    stream.send(marketUpdate({ price: "0.00005" }));
    await page.getByText(/^\d+ % above the market price$/).waitFor();
    stream.send(update("orders", filledBuy));
    await expect.poll(async () => (await drawn(page)).marks).toBe(1);
    await context.close();
  });

  it("explains its numbers by keyboard, and inside the window of a phone", async () => {
    const { page, context, screenshot } = await openDesk();
    const button = page.getByRole("button", { name: "What these numbers mean" });
    const meaning = page.getByText("Coins that a sale gets while it moves the price by at most 2 %");
    await button.focus();
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 740 });
      await page.keyboard.press("Enter");
      await meaning.waitFor();
      const { x, width: wide } = (await page.locator(".meanings").boundingBox()) ?? { x: -1, width: 0 };
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + wide).toBeLessThanOrEqual(width);
      await screenshot(`meanings-${width}`, { fullPage: false });
      await page.keyboard.press("Enter");
      await meaning.waitFor({ state: "hidden" });
      expect(await isFocused(button)).toBe(true);
    }
    await button.click();
    await meaning.waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await context.close();
  });

  it("draws candles of Solana tokens, although their swaps have not been counted", async () => {
    const { volume: _, trades: __, ...uncounted } = candle(-2, "0.0001", "0.00012");
    const { page, complaints, context } = await openDesk({
      query: "?chain=sol&token=MintMintMintMintMintMintMintMintMintMintMint&interval=7m",
      async prepare(page) {
        await withCandles([uncounted])(page);
        await page.route(/\/markets\/sol\/\w+$/, (route) =>
          route.fulfill(answered({ market: { symbol: "MOON", price: "0.00012", flags: [], asOf: at(0) } })),
        );
      },
    });
    await page.getByText("The link names no known interval: “7m”").waitFor();
    await expect.poll(async () => (await drawn(page)).last).toBe(0.00012);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe("a chain that is down", () => {
  it("is named in place of header and chart after some seconds, and both continue by themselves", async () => {
    let isDown = true;
    const { page, stream, context } = await openDesk({
      query: `?chain=base&token=${moon}`,
      async prepare(page) {
        await page.clock.install();
        await withCandles([candle(-2, "0.0001", "0.00012")])(page);
        await page.route("**/api/v2/markets/base/**", (route) =>
          isDown
            ? route.fulfill(refused(503, "CHAIN_UNAVAILABLE", "No host of base answers"))
            : route.fallback(),
        );
      },
    });
    const market = page.locator(".panel.market");
    await market.getByText("Reading the last 24 hours …").waitFor();
    const silence = market.getByText("Base does not answer; trying again.");
    expect(await silence.count()).toBe(0);
    await page.clock.fastForward(3000);
    await expect.poll(() => silence.count()).toBe(2);
    // The client gives up, and the page starts again.
    for (let tries = 0; tries < 4; tries++) await page.clock.fastForward(15_000);
    expect(await silence.count()).toBe(2);
    isDown = false;
    await expect
      .poll(async () => {
        await page.clock.fastForward(5000);
        stream.send(marketUpdate({ price: "0.0001" }));
        return page.locator(".chart.candles").count();
      })
      .toBe(1);
    await market.getByText("0.000104904 ETH").waitFor();
    await context.close();
  });
});

describe("an open position", () => {
  it("is valued at the market price, or by a sale in a thin pool, and greyed out once its market is old", async () => {
    const position = positionNumber(0, { amount: "1000", averageEntryPrice: "0.0001", realizedPnl: "0" });
    const { page, stream, context } = await openDesk({
      positions: [position],
      width: 2400,
      prepare: (page) => page.clock.install(),
    });
    const positions = page.getByRole("region", { name: "Positions" });
    await following(stream, moon);
    stream.send(marketUpdate({ price: "0.00012" }));
    await positions.getByText("+0.02 ETH (+20 %) +$52.00").waitFor();
    const totals = positions.getByRole("region", { name: "Totals" });
    await totals.getByText("$312.00", { exact: true }).first().waitFor();
    expect(await totals.getByText("have a value").count()).toBe(0);
    await positions.getByText("0.0001 ETH", { exact: true }).waitFor();
    await positions.locator(".profit:not(.old)").waitFor();
    await page.clock.fastForward(13_000);
    await positions.locator(".profit.old").waitFor();
    stream.send(marketUpdate({ price: "0.00008" }, Date.now() + 13_000));
    await positions.getByText("−0.02 ETH (−20 %) −$52.00").waitFor();
    await positions.locator(".profit:not(.old)").waitFor();

    stream.send(marketUpdate({ price: "0.00012", liquidity: "0.02", flags: ["THIN"] }));
    await positions.getByText("if sold now, thin: 0.12 ETH at the price").waitFor();
    stream.send(marketUpdate({ price: "0.00012", flags: ["STALE"] }));
    await positions.getByText("its market is stale").waitFor();
    await totals.getByText("0 of 1 have a value").waitFor();
    expect(await positions.locator(".profit").innerText()).toBe("–");
    await context.close();
  });
});
