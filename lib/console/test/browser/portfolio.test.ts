import { describe, expect, it } from "vitest";
import { brokenRules } from "../support/browser.ts";
import { desksForTests, refused } from "../support/scripted-desk.ts";
import { orderNumber, positionNumber, walletNumber } from "../support/scripted-service.ts";

const openDesk = desksForTests();

/** Buys and sales by turns, a minute apart, the newest first. The first sale sells what nobody has bought here. */
const olderOrders = Array.from({ length: 5_000 }, (_, index) => orderNumber(index));
const realized = { status: "closed", netRealizedPnl: "0.0539784" } as const;
const scripted = {
  olderOrders,
  positions: [positionNumber(0, { netRealizedPnl: "0" }), positionNumber(1, realized)],
  wallets: Array.from({ length: 200 }, (_, index) => walletNumber(index)),
};

const tooMany = refused(400, "INVALID_REQUEST", "Name one wallet", { field: "wallet" });

describe("the portfolio", () => {
  it("values 200 wallets, and sums up 5,000 orders by day, week and month while it reports its progress", async () => {
    const second = Promise.withResolvers<void>();
    let isDown = true;
    const { page, context } = await openDesk({
      ...scripted,
      width: 1440,
      height: 900,
      async prepare(opened) {
        await opened.route(/\/balances\?chain=eth$/, (route) => route.fulfill(tooMany));
        await opened.route(/\/orders\?.*cursor=100$/, async (route) => {
          await second.promise;
          await route.fallback();
        });
        await opened.route(/\/files\/portfolio-/, (route) => (isDown ? route.abort() : route.continue()));
      },
    });
    const open = page.getByRole("button", { name: "Portfolio", exact: true });
    await open.click();
    const panel = page.getByRole("dialog", { name: "Portfolio" });
    await panel.getByText("The portfolio could not be read.").waitFor();
    isDown = false;
    await panel.getByRole("button", { name: "Try again" }).click();
    await panel.waitFor({ state: "detached" });
    await open.click();
    await panel.getByText("Reading all orders and positions: 100 so far …").waitFor();
    second.resolve();

    const cellsOf = (table: string, name: string) =>
      panel.getByRole("table", { name: table }).locator(`td[data-name="${name}"]`);
    await expect
      .poll(() => cellsOf("Value by chain", "Coin in wallets").allInnerTexts())
      .toEqual(["20\u00a0000 ETH"]);
    const inAll = cellsOf("Net profit by day in dollars", "In all").first();
    await expect.poll(() => inAll.innerText()).toBe("+$134.35");
    await panel.getByText("1 sale sold tokens that were not bought here.").waitFor();
    expect(await panel.getByText("belongs to no day").count()).toBe(0);
    expect(await brokenRules(page)).toEqual([]);

    await panel.getByRole("combobox", { name: /^Of/ }).selectOption("eth");
    await panel.getByRole("radio", { name: "Day" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const byMonth = "Net profit by month in ETH on Ethereum";
    await expect.poll(() => cellsOf(byMonth, "In all").first().innerText()).toBe("+0.0537392 ETH");
    expect(await panel.getByRole("img", { name: byMonth }).isVisible()).toBe(true);

    await page.setViewportSize({ width: 360, height: 740 });
    const sideways = await panel.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(sideways).toBe(0);
    await context.close();
  });
});
