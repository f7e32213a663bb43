import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { brokenRules } from "../support/browser.ts";
import { openList, rowsOf } from "../support/desk.ts";
import { desksForTests } from "../support/scripted-desk.ts";
import { orderNumber, positionNumber, restingNumber } from "../support/scripted-service.ts";

const openDesk = desksForTests();

const records = {
  orders: [
    ...Array.from({ length: 4 }, (_, index) => orderNumber(index)),
    orderNumber(4, {
      status: "rejected",
      reasonCode: "SLIPPAGE_EXCEEDED",
      receivedAmount: undefined,
      averagePrice: undefined,
    } as object),
    restingNumber(6, { type: "stop", price: undefined, stopPrice: "0.00008" } as object),
  ],
  positions: [
    positionNumber(0, { status: "closed", amount: "0", cost: "0" }),
    positionNumber(1, { amount: "12994.687123", cost: "1.10012345", costFees: "0.0003" }),
    positionNumber(2, { averageEntryPrice: "0.0001" }),
  ],
};

/** An order whose two prices are wide. */
const pair = restingNumber(5, {
  type: "oco",
  price: undefined,
  takeProfit: { price: "0.000122199" },
  stopLoss: { stopPrice: "0.0000920386" },
} as object);

const names = ["Positions", "Resting", "Orders", "History"];

/** Lists what leaves the window at a side, and numbers that are cut. The row of the sorting buttons scrolls by itself. */
const misplaced = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll("#list :is(p, td, dd, td button, td span)")]
    .filter((one) => one.checkVisibility())
    .filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      const isCut = one.matches("td.number, td > span:not(.quiet)") && one.scrollWidth > one.clientWidth;
      const actions = one.closest("tr")?.querySelector("td.actions");
      const isUnder =
        one.matches("td:not(.actions)") &&
        getComputedStyle(one).display === "table-cell" &&
        actions && right > actions.getBoundingClientRect().left + 1;
      return left < 0 || right > innerWidth || isCut || isUnder;
    })
    .map((one) => one.tagName + " " + one.textContent)`);

/** Lists parts of the row with a sale, and of the sale, at whose corners something else is in sight. */
const covered = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll("#list tbody:has(.under) :is(td[data-name], button, dt, dd)")]
    .filter((one) => one.checkVisibility())
    .filter((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const corners = [[left + 1, top + 1], [right - 1, bottom - 1], [left + 1, bottom - 1], [right - 1, top + 1]];
      return corners.some(([x, y]) => {
        const seen = document.elementFromPoint(x, y);
        return seen === null || !(one.contains(seen) || seen.contains(one));
      });
    })
    .map((one) => one.tagName + " " + one.textContent)`);

describe("the lists", () => {
  it.each([360, 390, 430])("are as wide as a phone of %i pixels, with an open sale, too", async (width) => {
    const { page, context } = await openDesk({ ...records, width, height: 740 });
    const tabs = page.getByRole("navigation", { name: "Parts of the desk" });
    await tabs.getByRole("button", { name: "Positions" }).click();
    const sell = page.getByRole("button", { name: "Sell 50 %" }).first();
    await sell.click();
    const confirm = page.getByRole("region", { name: "Sell 50 % of MOON" }).locator(".place-bar button");
    await expect.poll(() => confirm.getAttribute("aria-disabled")).toBe("false");
    const bottom = async () => {
      const box = await confirm.boundingBox();
      return (box?.y ?? 740) + (box?.height ?? 0);
    };
    await expect.poll(bottom).toBeLessThanOrEqual((await tabs.boundingBox())?.y ?? 0);
    for (const name of names) {
      await openList(page, name);
      await page.locator("#list tbody").first().waitFor();
      const list = page.locator("#list");
      expect(await list.evaluate((one) => one.scrollWidth - one.clientWidth), name).toBe(0);
      expect(await misplaced(page), name).toEqual([]);
    }
    await context.close();
  });

  it.each([
    { width: 1440, height: 900, more: [pair] },
    { width: 1280, height: 720, more: [] },
  ])("cover and cut nothing on a desktop of $width × $height pixels", async ({ more, ...size }) => {
    const orders = [...records.orders, ...more];
    const { page, context } = await openDesk({ ...records, orders, ...size });
    // Takes the room of a scrollbar, which this browser draws over the list.
    await page.evaluate("document.querySelector('#list').style.marginRight = '15px'");
    for (const name of names) {
      await openList(page, name);
      await page.locator("#list tbody").first().waitFor();
      expect(await misplaced(page), name).toEqual([]);
      expect(await page.locator("#list").evaluate((one) => one.scrollWidth - one.clientWidth), name).toBe(0);
    }
    await openList(page, "Positions");
    const tokens = page.getByRole("table", { name: "Positions" }).locator("td[data-name=Token]");
    for (let times = 0; times < 3; times++) {
      expect(await tokens.last().innerText()).toContain("CLOSED");
      await page.getByRole("columnheader", { name: "Token" }).getByRole("button").click();
    }

    const row = page.locator("#list tbody").nth(1);
    await row.getByRole("button", { name: "Sell 50 %" }).click();
    const confirm = row.locator(".place-bar button");
    await expect.poll(() => confirm.getAttribute("aria-disabled")).toBe("false");
    await expect.poll(() => covered(page)).toEqual([]);
    await context.close();
  });

  it("say that a position is being sold, and then why the sale failed, which can be tried again", async () => {
    const sale = orderNumber(9, {
      status: "open",
      stage: "approving",
      amount: "497.3",
      percent: 50,
      filledAmount: "0",
      receivedAmount: undefined,
      averagePrice: undefined,
    } as object);
    const { page, context, stream, complaints } = await openDesk({
      orders: [sale],
      positions: [positionNumber(0)],
      width: 1440,
      height: 900,
    });
    const row = rowsOf(page, "Positions");
    await row.getByText("Selling…", { exact: true }).waitFor();
    const reason = "You would have received less than the minimum";
    const failed = { ...sale, version: 2, status: "rejected", stage: "done", reason };
    const time = new Date().toISOString();
    stream.send({ type: "update", channel: "orders", time, data: [failed] });
    await row.getByText("Sell", { exact: true }).waitFor();
    const notice = page.locator(".notices .bad");
    await notice
      .getByText("The sale of MOON failed: you would have received less than the minimum.")
      .waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await notice.getByRole("button", { name: "Try again" }).click();
    await page
      .getByRole("region", { name: "Trade" })
      .getByRole("button", { name: "Sell 50 % of MOON", disabled: false })
      .waitFor();
    expect(await notice.count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("show the price for which an order waits, next to those of fills", async () => {
    const { page, context } = await openDesk({ ...records, width: 1440, height: 900 });
    await openList(page, "Orders");
    const prices = page.getByRole("table", { name: "Orders" }).locator("td[data-name=Price]");
    await expect.poll(() => prices.last().innerText()).toBe("stop 0.00008 ETH");
    expect(await prices.first().innerText()).toBe("0.000100534 ETH");
    await context.close();
  });
});
