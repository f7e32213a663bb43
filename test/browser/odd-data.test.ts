import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { browserForTests, rowsOf, signIn } from "./support/browser.ts";
import { streamOf } from "./support/market-stream.ts";
import { userWithCoins } from "./support/users.ts";

const browser = browserForTests();
const emoji = "🐸".repeat(40);
const time = new Date().toISOString();

const wallets = Array.from({ length: 200 }, (_, index) => ({
  _id: `w-${index}`,
  network: "eth",
  slotName: index === 0 ? emoji : `Wallet ${index}`,
  slotColor: "red",
  generatedWalletAddress: `0x${String(index).padStart(40, "0")}`,
  version: 1,
  createdAt: time,
}));

const orders = Array.from({ length: 5000 }, (_, index) => ({
  orderId: `o-${index}`,
  chain: "eth",
  symbol: `${emoji}/ETH`,
  side: "buy",
  type: "market",
  wallet: wallets[0]?.generatedWalletAddress,
  amount: "0.1",
  status: "filled",
  version: 1,
  filledAmount: "0.1",
  receivedAmount: "1000",
  averagePrice: "0.0001",
  stage: "done",
  createdAt: time,
  updatedAt: time,
}));

const sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

describe("the console with odd data", () => {
  it("shows 200 wallets and 5,000 orders with names of 40 emoji, on a phone in landscape at 200 % text", async () => {
    const { page, context, complaints } = await browser.visit("about:blank", { width: 740, height: 360 });
    const stream = await streamOf(page);
    await page.route("**/api/v2/wallets?**", (route) =>
      route.fulfill({ json: { success: true, data: { wallets }, timestamp: time } }),
    );
    await page.route("**/candles?**", (route) => {
      const candle = { time: `${time.slice(0, 16)}:00.000Z`, open: "0.0001", high: "0.0001", low: "0.0001" };
      const candles = [{ ...candle, close: "0.0001", volume: "1.5", trades: 2, isFinal: true }];
      const data = { interval: "1m", currency: "native", history: "complete", revision: 0, candles };
      return route.fulfill({ json: { success: true, data } });
    });
    await page.goto(new URL("/console/", browser.runner.baseUrl).href);
    await signIn(page, `odd-${Date.now()}`);
    await page.locator(".chart.candles canvas").first().waitFor({ state: "attached" });
    stream.send({ type: "update", channel: "orders", time, data: orders });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    for (const name of ["Trade", "Positions", "Orders", "Wallets", "More"]) {
      await page.getByRole("navigation", { name: "Parts of the desk" }).getByRole("button", { name }).click();
      await expect.poll(() => page.evaluate(sideways), { message: name }).toBe(0);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("navigation").getByRole("button", { name: "Orders" }).click();
    const list = rowsOf(page, "Orders");
    await list.first().waitFor();
    expect(await list.count()).toBeLessThan(200);
    // The service knows none of these wallets.
    expect(complaints.filter((each) => !each.includes("status of 400"))).toEqual([]);
    await context.close();
  });

  it("trades a pasted address even if the token list never loads", async () => {
    const { page, context } = await browser.visit("about:blank");
    await page.route("**/api/v2/tokens?chain=**", () => {});
    await page.goto(new URL("/console/", browser.runner.baseUrl).href);
    await signIn(page, await userWithCoins("olaf", "eth"));
    await page.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.moon);
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    await context.close();
  });
});
