import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { brokenRules, themeRules, visitsForTests } from "../support/browser.ts";
import { openList, rowsOf, sidewaysPixels } from "../support/desk.ts";
import { desksForTests } from "../support/scripted-desk.ts";
import {
  orderNumber,
  positionNumber,
  restingNumber,
  type Scripted,
  walletNumber,
} from "../support/scripted-service.ts";

const openDesk = desksForTests();
const visit = visitsForTests();

const emoji = "🐸".repeat(32);
const named = (baseSymbol: string) => ({ baseSymbol, symbol: `${baseSymbol}/ETH` });
const oddOrders = [named(emoji), named("مرحبا بالعالم"), named(""), { status: "rejected" } as const].map(
  (change, index) => orderNumber(index, change),
);
/** Data with odd names, and more orders than are drawn at once. */
const few: Scripted = {
  orders: [
    ...oddOrders,
    ...Array.from({ length: 60 }, (_, index) => orderNumber(index + oddOrders.length)),
    restingNumber(100),
  ],
  positions: [positionNumber(0, named(emoji)), positionNumber(1, { status: "closed" })],
};
const manyOrders = Array.from({ length: 4_996 }, (_, index) => orderNumber(index + oddOrders.length));
const crowd: Scripted = {
  orders: [...oddOrders, ...manyOrders, restingNumber(5_000)],
  positions: few.positions ?? [],
  wallets: Array.from({ length: 200 }, (_, index) => walletNumber(index, index === 0 ? emoji : undefined)),
};

const chartOf = (page: Page) => page.locator(".chart canvas").first();
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return box;
};
/** Elements that scroll by themselves, outside dialogs and the chart. */
const innerBoxes = `[...document.querySelectorAll("main *")].filter((one) =>
  one.scrollHeight > one.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(one).overflowY)).map((one) => one.className)`;
const focused = (page: Page) =>
  page.evaluate(
    "document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent",
  );

/** Names the parts of the page that a reload would lose. */
const unsaved = (page: Page) =>
  page.evaluate(
    "[...document.querySelectorAll('[data-unsaved]')].map((part) => part.className || part.ariaLabel)",
  );

/** Opens all drawers and lists controls too small for a finger: below 44 pixels of height. Links in text are exempt. */
const smallTargets = `for (const drawer of document.querySelectorAll("details")) drawer.open = true;
[...document.querySelectorAll("button, input, select, summary, [role=option], nav a, li a")]
  .filter((one) => one.checkVisibility())
  // The label of a radio button or a checkbox is what a finger hits.
  .map((one) => (["radio", "checkbox"].includes(one.type) ? one.closest("label") : one))
  .map((one) => [one.textContent || one.id, Math.round(one.getBoundingClientRect().height)])
  .filter(([, height]) => height < 44)`;

const tabsOf = (page: Page) => page.getByRole("navigation", { name: "Parts of the desk" });
const tabs = ["Positions", "Orders", "Wallets", "More", "Trade"];

/** Shows a part of the desk on a phone. */
async function openTab(page: Page, name: string) {
  await tabsOf(page).getByRole("button", { name }).click();
  if (["Wallets", "More"].includes(name)) await page.getByRole("dialog").waitFor();
}

describe("the desk", () => {
  it("gives the chart most of a desktop, and shows ticket and rows of one line", async () => {
    const { page, context, complaints } = await openDesk({ ...few, width: 1440, height: 900 });
    await chartOf(page).waitFor();
    expect((await boxOf(page, ".chart")).height).toBeGreaterThanOrEqual(0.55 * 900);
    expect(await page.getByRole("region", { name: "Trade" }).locator(".place-bar").isVisible()).toBe(true);
    for (const name of ["Positions", "Resting", "Orders", "History"]) {
      await openList(page, name);
      const heights = (await page.evaluate(
        "[...document.querySelectorAll('.records tbody tr')].map((row) => row.offsetHeight)",
      )) as number[];
      expect(heights.length).toBeGreaterThan(0);
      expect(Math.max(...heights), name).toBeLessThanOrEqual(32);
      expect(await page.evaluate("document.documentElement.scrollHeight")).toBe(900);
      expect(await sidewaysPixels(page)).toBe(0);
    }
    expect(await brokenRules(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await brokenRules(page, themeRules)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("draws 5,000 orders in well under 100 ms of script, and sorts them", async () => {
    const { page, context } = await openDesk({ ...crowd, width: 1440, height: 900 });
    await chartOf(page).waitFor();
    const session = await context.newCDPSession(page);
    // Counts the time of the thread, which other programs of the machine do not lengthen.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const scriptMs = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return 1000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0);
    };
    const before = await scriptMs();
    await openList(page, "Orders");
    await page.getByRole("table", { name: "Orders" }).waitFor();
    const drawnMs = (await scriptMs()) - before;
    await page.getByRole("button", { name: "Amount" }).click();
    const amounts = page.getByRole("table", { name: "Orders" }).locator("td[data-name=Amount]");
    expect(await amounts.count()).toBe(50);
    await expect.poll(() => amounts.first().innerText()).toMatch(/^994\.687 /);
    await page.getByRole("button", { name: "Amount" }).click();
    await expect.poll(() => amounts.first().innerText()).toBe("0.1 ETH");
    await page.getByLabel("Status").selectOption("filled");
    await openList(page, "History");
    await openList(page, "Orders");
    await expect.poll(() => amounts.first().innerText()).toBe("0.1 ETH");
    expect(await page.getByLabel("Status").inputValue()).toBe("filled");
    await page.getByLabel("Status").selectOption("");
    await page.getByRole("button", { name: "Show more of 5001" }).click();
    await expect.poll(() => amounts.count()).toBe(100);
    expect(drawnMs).toBeLessThan(100);
    await context.close();
  });

  it("scrolls the confirming button of a sale into view, and keeps the focus near it afterwards", async () => {
    const positions = Array.from({ length: 12 }, (_, index) => positionNumber(index));
    const { page, context } = await openDesk({ positions, width: 1440, height: 900 });
    await page.getByRole("button", { name: "Sell 50 %" }).nth(9).click();
    const sale = page.getByRole("region", { name: "Sell 50 % of MOON" });
    const confirm = sale.getByRole("button", { name: "Sell 50 %" });
    await confirm.waitFor();
    const bottom = async () => {
      const box = await confirm.boundingBox();
      return (box?.y ?? 900) + (box?.height ?? 0);
    };
    await expect.poll(bottom).toBeLessThanOrEqual(900);
    expect(await unsaved(page)).toEqual(["quick-sale"]);
    await confirm.focus();
    await page.keyboard.press("Escape");
    await sale.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).not.toBe("");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(false);
    expect(await unsaved(page)).toEqual([]);
    for (const [key, field] of [
      ["c", "chain"],
      ["w", "wallet"],
      ["p", "place"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => focused(page)).toBe(field);
      await page.keyboard.press("Escape");
    }
    await page
      .getByLabel(/^Amount/)
      .first()
      .fill("0.5");
    await expect.poll(() => unsaved(page)).toEqual(["Trade"]);
    await context.close();
  });

  it("returns the focus to the button of a side panel when it closes", async () => {
    const { page, context } = await openDesk({ width: 900, height: 900 });
    for (const name of ["Wallets", "Settings", "Rewards", "Prices", "Messages"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog", { name }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => focused(page)).toBe(name);
    }
    await context.close();
  });

  it("keeps a private key that is being entered when Escape is pressed, until the user discards it", async () => {
    const { page, context, complaints } = await openDesk({ width: 900, height: 900 });
    const wallets = page.getByRole("dialog", { name: "Wallets" });
    const key = wallets.getByLabel(/^Private key/);
    const open = () => page.getByRole("button", { name: "Wallets", exact: true }).click();
    await open();
    await wallets.getByText("Import a wallet, sealed").click();
    await key.fill("0x01");
    for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
    await wallets.getByRole("alert").getByText("What you have entered is not sent.").waitFor();
    expect(await key.inputValue()).toBe("0x01");
    expect(await page.evaluate("document.activeElement.type")).toBe("password");
    expect(await brokenRules(page)).toEqual([]);
    await wallets.getByRole("button", { name: "Drop it and close" }).click();
    await wallets.waitFor({ state: "detached" });
    await open();
    expect(await key.inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await wallets.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("shows a problem inside an open panel, which stays when the notice is dismissed, and keeps its edits", async () => {
    const { page, context, complaints } = await openDesk({ width: 1440, height: 900 });
    const settings = page.getByRole("dialog", { name: "Settings" });
    const problem = settings.getByRole("status").getByText("Problem");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await settings.getByLabel("MEV protection").uncheck();
    await settings.getByRole("button", { name: "Save", exact: true }).first().click();
    // The scripted service saves nothing.
    await problem.waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await settings.getByRole("button", { name: "Dismiss" }).click();
    await problem.waitFor({ state: "detached" });
    await page.mouse.click(20, 450);
    expect(await settings.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await settings.waitFor({ state: "detached" });
    expect(await unsaved(page)).toEqual(["desk"]);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    expect(await settings.getByLabel("MEV protection").isChecked()).toBe(false);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("offers listed tokens until one is watched, keeps a watchlist over a reload, and only on the page if the browser keeps nothing", async () => {
    const { page, context, complaints } = await openDesk({ width: 1440, height: 900 });
    const tokens = page.getByRole("navigation", { name: "Watched and held tokens" });
    const star = page.getByRole("region", { name: "MOON" }).getByRole("button", { name: "Watch MOON" });
    const offered = tokens.getByRole("button", { name: "Watch USDX" });
    await tokens.getByText("Star a token to watch it.").waitFor();
    await offered.waitFor();
    await star.click();
    await offered.waitFor({ state: "detached" });
    await tokens.getByText("$0.27258").waitFor();
    await page.reload();
    await tokens.getByText("$0.27258").waitFor();
    await page.evaluate("Storage.prototype.setItem = () => { throw new Error('The storage is blocked'); }");
    await tokens.getByRole("button", { name: "Watch MOON" }).click();
    await offered.waitFor();
    await tokens.getByText("Star a token to watch it.").waitFor();
    await star.click();
    await tokens.getByText("$0.27258").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("saves all fills as a file", async () => {
    const { page, context } = await openDesk({ width: 1440, height: 900 });
    await openList(page, "History");
    const { promise: isSeen, resolve } = Promise.withResolvers<void>();
    await page.route(/cursor=next/, async (route) => {
      await isSeen;
      await route.fallback();
    });
    await page.route(/\/v2\/orders\?limit=100$/, (route) =>
      route.fulfill({ json: { success: true, data: { orders: [], cursor: "next" } } }),
    );
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save all fills as CSV" }).click();
    const reading = page.getByRole("button", { name: "Reading all fills …" });
    expect(await reading.isDisabled()).toBe(true);
    resolve();
    expect((await saved).suggestedFilename()).toBe("fills.csv");
    const older = page.getByRole("button", { name: "Older fills" });
    await older.click();
    await older.waitFor({ state: "detached" });
    // Shows the fills that were read without reading them again.
    await openList(page, "Orders");
    await openList(page, "History");
    expect(await older.count()).toBe(0);
    await context.close();
  });

  it("reads older orders of another status from their beginning", async () => {
    const { page, context } = await openDesk({ width: 1440, height: 900 });
    await openList(page, "Orders");
    const asked: string[] = [];
    await page.route(/\/v2\/orders\?/, (route) => {
      asked.push(new URL(route.request().url()).searchParams.toString());
      const orders = [orderNumber(5000)];
      return route.fulfill({ json: { success: true, data: { orders, cursor: "next" } } });
    });
    const older = page.getByRole("button", { name: "Older orders" });
    await older.click();
    await expect.poll(() => asked).toEqual(["limit=100"]);
    await page.getByLabel("Status").selectOption("filled");
    await older.click();
    await expect.poll(() => asked).toEqual(["limit=100", "status=filled&limit=100"]);
    await context.close();
  });

  it("scrolls a phone's page as a whole, under a low header", async () => {
    const { page, context } = await openDesk({ ...few, width: 360, height: 740 });
    expect((await boxOf(page, ".top-bar")).height).toBeLessThanOrEqual(48);
    for (const name of ["Positions", "Orders"]) {
      await openTab(page, name);
      expect({ name, boxes: await page.evaluate(innerBoxes) }).toEqual({ name, boxes: [] });
      expect(await sidewaysPixels(page)).toBe(0);
    }
    const orders = page.getByRole("table", { name: "Orders" });
    await orders.getByRole("button", { name: "Amount" }).click();
    await expect.poll(() => orders.locator("td[data-name=Amount]").first().innerText()).toMatch(/^994\.687 /);
    await context.close();
  });

  it("is as wide as a phone in landscape, with 5,000 orders and text of 200 %", async () => {
    const { page, context, complaints } = await openDesk({ ...crowd, width: 740, height: 360 });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    for (const name of tabs) {
      await openTab(page, name);
      await expect.poll(() => sidewaysPixels(page), { message: name }).toBe(0);
      await page.keyboard.press("Escape");
    }
    await openTab(page, "Orders");
    const orders = rowsOf(page, "Orders");
    await orders.first().waitFor();
    expect(await orders.count()).toBeLessThan(200);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("keeps everything within thumb's reach: tabs, Buy without scrolling, and 44-pixel targets", async () => {
    const { page, context } = await openDesk({ width: 360, height: 740 });
    const buy = page.getByRole("button", { name: "Buy 0.1 ETH of MOON", disabled: false });
    await buy.waitFor();
    await chartOf(page).waitFor();
    const chart = await boxOf(page, ".chart");
    expect((await boxOf(page, ".market > header")).height).toBeLessThanOrEqual(124);
    expect(chart.height).toBeGreaterThanOrEqual(220);
    const [box, bar] = [await buy.boundingBox(), await tabsOf(page).boundingBox()];
    expect(chart.y + chart.height).toBeLessThanOrEqual(box?.y ?? 0);
    expect((box?.y ?? 0) + (box?.height ?? 740)).toBeLessThanOrEqual(bar?.y ?? 0);
    expect(await page.evaluate("scrollY")).toBe(0);
    for (const name of tabs) {
      await openTab(page, name);
      await expect.poll(() => sidewaysPixels(page), { message: name }).toBe(0);
      expect({ name, small: await page.evaluate(smallTargets) }).toEqual({ name, small: [] });
      await page.keyboard.press("Escape");
    }
    await openTab(page, "More");
    const more = page.getByRole("dialog", { name: "More" });
    await more.getByText("Keyboard shortcuts").waitFor();
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await more.getByText("Keyboard shortcuts").waitFor({ state: "hidden" });
    await more.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await page.evaluate(smallTargets)).toEqual([]);
    await context.close();
  });
});

describe("the sign-in", () => {
  it("has its link's place while the issuer is asked, and links to no documentation that it does not know", async () => {
    const { page, context } = await visit("about:blank", { width: 900, height: 900 });
    const issuer = `${inject("consoleOrigin")}/issuer`;
    const { promise: isSeen, resolve } = Promise.withResolvers<void>();
    await page.route("**/config.json", (route) =>
      route.fulfill({ json: { issuer, clientId: "console", scope: "openid" } }),
    );
    await page.route("**/issuer/**", async (route) => {
      await isSeen;
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      await route.fulfill({ json: { issuer, ...endpoints } });
    });
    await page.goto(inject("consoleOrigin"));
    const place = page.getByText("Sign in", { exact: true });
    await place.waitFor();
    const before = await place.boundingBox();
    expect(await page.getByRole("link").count()).toBe(0);
    resolve();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await place.boundingBox()).toEqual(before);
    expect(await page.getByRole("link").count()).toBe(1);
    await context.close();
  });
});
