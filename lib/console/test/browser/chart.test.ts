import { describe, expect, inject, it } from "vitest";
import { brokenRules, visitsForTests } from "../support/browser.ts";
import { openList, rowsOf } from "../support/desk.ts";
import { answered, desksForTests } from "../support/scripted-desk.ts";
import { moon, orderNumber, positionNumber, restingNumber } from "../support/scripted-service.ts";

const visit = visitsForTests();
const openDesk = desksForTests();

describe("the chart", () => {
  it("moves lines by mouse and keyboard, lists grouped fills, and covers no label by another", async () => {
    const { page, complaints, context, screenshot } = await visit(`${inject("consoleOrigin")}/gallery/`);
    const chart = page.getByRole("region", { name: "Chart", exact: true });
    const moved = chart.getByRole("status");
    const line = chart.getByRole("slider", { name: /^Sell 1\s000 MOON, limit/ });
    await line.waitFor();
    expect(await chart.getByText("trailing stop").getAttribute("role")).toBeNull();

    const marker = chart.getByRole("button", { name: /Bought 4 MOON.*Bought 5 MOON.*Sold 6 MOON/ });
    await marker.focus();
    await marker.getByText("Sold 6 MOON at 0.0001 ETH").waitFor();
    await page.keyboard.press("ArrowRight");
    await chart
      .getByRole("button", { name: /^B: Bought 8 MOON/ })
      .getByText("8 MOON")
      .waitFor();
    const boxes = await chart
      .locator(".fill:not([hidden]), .order-line:not([hidden]) .label")
      .evaluateAll((all) => all.map((one) => [one.className, one.getBoundingClientRect()] as const));
    for (const kind of ["fill", "label"]) {
      const own = boxes.filter(([name]) => name.startsWith(kind)).map(([, box]) => box);
      expect(own.length).toBeGreaterThan(2);
      for (const [index, a] of own.entries())
        for (const b of own.slice(index + 1))
          expect(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top).toBe(true);
    }

    await line.focus();
    for (const key of ["ArrowUp", "PageUp", "ArrowDown"]) await page.keyboard.press(key);
    expect(await line.getAttribute("aria-valuetext")).toBe("0.000118 ETH");
    await page.keyboard.press("Escape");
    expect(await line.getAttribute("aria-valuetext")).toBe("0.000108 ETH");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => moved.innerText()).toBe("limit limit to 0.000107");

    const stop = chart.getByRole("slider", { name: /^Sell 1\s000 MOON, stop/ });
    await stop.hover();
    const slider = page.getByRole("slider", { name: /^Sell 1\s000 MOON, stop/ });
    const grip = chart.locator(".order-line", { has: slider }).locator(".grip");
    const yOf = async (one: typeof stop) =>
      ((await one.boundingBox()) ?? expect.unreachable("not in sight")).y;
    const from = { x: 60, y: (await yOf(stop)) + 10, rule: await yOf(grip) };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, from.y - 20, { steps: 3 });
    await expect.poll(async () => Math.abs((await yOf(grip)) - from.rule + 20)).toBeLessThan(1.5);
    expect(await page.evaluate("String(getSelection())")).toBe("");
    await page.mouse.up();
    await expect.poll(() => moved.innerText()).toMatch(/^pair stop to 0\.0000\d{4,6}$/);
    const dropped = await moved.innerText();
    expect(Number(dropped.split(" ").at(-1))).toBeGreaterThan(0.000092);
    await page.mouse.move(600, from.rule + 4);
    await page.mouse.down();
    await page.mouse.move(600, from.rule - 6, { steps: 2 });
    await page.mouse.up();
    await expect.poll(() => moved.innerText()).not.toBe(dropped);

    await chart.getByText("Line", { exact: true }).click();
    await line.waitFor();
    await marker.hover();
    await screenshot("chart", { fullPage: false });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("moves an order: tries the new one, asks once, cancels, places, and reports a refusal", async () => {
    const expiresAt = new Date(Date.now() + 9e6).toISOString();
    const order = restingNumber(2, { price: "0.0001", expiresAt });
    const { page, context } = await openDesk({ orders: [order] });
    const asked: string[] = [];
    await page.route("**/api/v2/orders", (route) => {
      const body = route.request().postDataJSON() as { dryRun?: true; price: string };
      asked.push(`${body.dryRun ? "try" : "place"} ${body.price}`);
      const error = { code: "INSUFFICIENT_BALANCE", message: "Too few tokens" };
      if (!body.dryRun) return route.fulfill({ status: 409, json: { success: false, error } });
      const data = { dryRun: true, quote: {}, resting: { wouldFireNow: true } };
      return route.fulfill({ json: { success: true, data } });
    });
    await page.route("**/orders/o-2/cancel", (route) => {
      asked.push("cancel");
      const data = { order: { ...order, status: "cancelled", stage: "done" } };
      return route.fulfill({ json: { success: true, data } });
    });
    const line = page.getByRole("slider", { name: /^Sell 500 MOON, limit/ });
    await line.press("ArrowUp");
    await line.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Move this order?" });
    await dialog.getByText("0.000101 ETH (+1 %)").waitFor();
    await dialog.getByText("At this price, it fires at once.").waitFor();
    expect(asked).toEqual(["try 0.000101"]);
    await dialog.getByRole("button", { name: "Move it" }).click();
    await page.getByText("The old order is cancelled, but the new one was refused.").waitFor();
    expect(asked).toEqual(["try 0.000101", "cancel", "place 0.000101"]);
    await page.getByRole("button", { name: "Place it again" }).click();
    await expect.poll(() => asked.at(3)).toBe("place 0.000101");
    await context.close();
  });

  it("says of a resting sale that its wallet holds none of the token, and cancels it from its line", async () => {
    const { page, context, complaints } = await openDesk({
      orders: [restingNumber(2)],
      prepare: (page) =>
        page.route(/\/balances\?/, (route) =>
          route.fulfill(
            answered({ balances: [{ token: moon, symbol: "MOON", amount: "0", available: "0" }] }),
          ),
        ),
    });
    const cancelled = page.waitForRequest("**/orders/o-2/cancel");
    await page.route("**/orders/o-2/cancel", (route) => route.fulfill(answered({ order: restingNumber(2) })));
    const line = page.locator(".order-line");
    await line.getByText("the wallet holds none: Sell 500 MOON, limit at 0.00018 ETH").waitFor();
    expect(await page.getByRole("slider", { name: /^Sell 500 MOON/ }).count()).toBe(0);
    await openList(page, "Resting");
    await rowsOf(page, "Resting orders").getByText("the wallet holds none").waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await line.getByRole("button", { name: "Cancel" }).click();
    await cancelled;
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("costs at most 2 % of the time for script and layout while a token trades in every second", async () => {
    const orders = Array.from({ length: 20 }, (_, index) => orderNumber(index));
    const { page, stream, context } = await openDesk({ orders, positions: [positionNumber(0)] });
    await page.locator(".chart canvas").first().waitFor();
    const seconds = 30;
    const price = page.getByRole("region", { name: "MOON" }).locator(".market-price");
    /** Sends the messages that a trade in a second causes. */
    function trade(second: number) {
      const time = new Date().toISOString();
      const close = `0.0001${10 + second}`;
      const start = `${time.slice(0, 17)}00.000Z`;
      const minute = {
        time: start,
        open: "0.0001",
        high: close,
        low: "0.0001",
        close,
        volume: "1",
        trades: 2,
      };
      const market = { chain: "eth", token: moon, symbol: "MOON", decimals: 18, liquidity: "2", flags: [] };
      const record = {
        ...market,
        price: close,
        revision: 1,
        block: 101 + second,
        asOf: time,
        minutes: [minute],
      };
      const heads = { eth: { block: 101 + second, time } };
      stream.send({ type: "update", channel: "prices", time, heads, data: [record] });
    }
    trade(9);
    await price.getByText("0.000119 ETH").waitFor();
    const devTools = await context.newCDPSession(page);
    // Counts the thread's own time, which other programs do not lengthen.
    await devTools.send("Performance.enable", { timeDomain: "threadTicks" });
    const spentSeconds = async () => {
      const { metrics } = await devTools.send("Performance.getMetrics");
      const counted = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"];
      return metrics.reduce((sum, { name, value }) => sum + (counted.includes(name) ? value : 0), 0);
    };
    const before = await spentSeconds();
    // Sends the messages of each second within less, but far enough apart that each is drawn.
    for (let second = 1; second <= seconds; second++) {
      trade(second);
      await page.waitForTimeout(100);
    }
    const each = ((await spentSeconds()) - before) / seconds;
    await price.getByText("0.00014 ETH").waitFor();
    expect(each).toBeLessThan(0.02);
    await context.close();
  });
});
