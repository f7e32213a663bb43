import type { Page } from "playwright-core";
import type { Camera } from "./camera.ts";
import type { LiveMarket } from "./course.ts";

/** Rise of the price for each trade while the story waits for a profit. */
const rally = 0.005;

/** Price of the limit, as a multiple of the price then. */
const limitFactor = 1.015;

/**
 * Plays what a new user does: gets test coins, buys, watches the profit, places a limit, drags it, and sells half.
 *
 * @param page The console, with an empty wallet and a token in the ticket
 */
export async function playTrade(page: Page, camera: Camera, market: LiveMarket): Promise<void> {
  const trade = page.getByRole("region", { name: "Trade" });
  const place = (name: string | RegExp) =>
    trade.locator(".place-bar").getByRole("button", { name, disabled: false });
  const amount = trade.getByRole("textbox", { name: /^(Amount|Part of)/ });
  const position = page.getByRole("table", { name: "Positions" }).locator("tbody").first();
  const fills = page.getByRole("toolbar", { name: "Your fills in the chart" }).getByRole("button");

  await camera.say("Get test coins");
  await camera.watch(500);
  const gift = trade.getByRole("button", { name: "Get 10 test coins" });
  await camera.click(gift);
  await camera.until(gift.waitFor({ state: "detached" }));

  await camera.say("Type an amount");
  await camera.type(amount, "0.5");
  await camera.until(place("Buy 0.5 ETH of MOON").waitFor());
  await camera.say("Buy with one tap");
  await camera.watch(500);
  await camera.click(place("Buy 0.5 ETH of MOON"));
  const half = position.getByRole("button", { name: "Sell 50 %" });
  await camera.until(half.waitFor());
  await camera.until(fills.first().waitFor());

  await camera.say("Watch the profit");
  market.climb(rally);
  await camera.until(position.locator(".profit .up").waitFor());
  await camera.watch(2000);
  market.climb(0);

  await camera.say("Place a limit");
  await camera.click(trade.getByText("Sell", { exact: true }));
  await camera.click(trade.getByText("Limit", { exact: true }));
  await camera.click(trade.getByRole("button", { name: "50 %", exact: true }));
  const price = Number(await page.locator(".chart.candles").getAttribute("data-last"));
  await camera.type(trade.getByLabel(/^Price, ETH/), (price * limitFactor).toFixed(6));
  const limit = place(/^Sell 50 % of MOON/);
  await camera.until(limit.waitFor());
  await camera.click(limit);
  const line = page.getByRole("slider", { name: /^Sell .* MOON, limit/ });
  await camera.until(line.waitFor());

  await camera.say("Drag it in the chart");
  await camera.drag(line, -28);
  const move = page.getByRole("button", { name: "Move it", disabled: false });
  await camera.until(move.waitFor());
  await camera.click(move);
  await camera.until(page.getByRole("dialog").waitFor({ state: "detached" }));

  await camera.until(line.waitFor());
  await camera.watch(750);

  await camera.say("Sell half");
  const sale = page.getByRole("region", { name: "Sell 50 % of MOON" });
  await camera.click(half);
  await sale.waitFor({ timeout: 2000 }).catch(() => camera.click(half));
  const sell = sale.getByRole("button", { name: "Sell 50 % of MOON", disabled: false });
  await camera.until(sell.waitFor());
  await camera.click(sell);
  await camera.until(page.getByRole("button", { name: /: .*Sold / }).waitFor());
  await camera.watch(2000);
}
