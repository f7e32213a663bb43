import type { Page } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { browserForTests, openList, rowsOf, signIn } from "./support/browser.ts";
import { userWithCoins } from "./support/users.ts";

const browser = browserForTests();

const panel = (page: Page) => page.getByRole("region", { name: "Trade" });

describe("the trade panel", () => {
  it("hides the quote when another token is entered, and places no order before the new quote is shown", async () => {
    const { page, context } = await browser.visit();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/api/v2/quotes", async (route) => {
      if (route.request().postData()?.includes(localAddresses.trap)) await held;
      await route.continue();
    });
    await signIn(page, await userWithCoins("tess", "eth"));
    const trade = panel(page);
    await trade.getByText("You get about").waitFor();
    const place = trade.locator(".place-bar button");
    expect(await place.isEnabled()).toBe(true);
    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.trap);
    await trade.locator(".quote").getByText("Asking for a quote").waitFor();
    expect(await trade.getByText("You get about").count()).toBe(0);
    expect(await place.isDisabled()).toBe(true);
    await Promise.all([page.waitForResponse("**/api/v2/quotes"), release()]);
    await context.close();
  });

  it("shows a route's pools and the token between them", async () => {
    const { page, context } = await browser.visit();
    await signIn(page, await userWithCoins("theo", "eth"));
    const trade = panel(page);
    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.star);
    await trade.getByText(/^\S+ [\d.]+ % → USDX → \S+ [\d.]+ %$/).waitFor();
    await context.close();
  });

  it("keeps an address typed before the token list loads, and ignores tokens of another chain", async () => {
    const { page, context } = await browser.visit();
    const [base, bsc, avax] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const held = { base, bsc, avax } as Record<"base" | "bsc" | "avax", PromiseWithResolvers<void>>;
    const late = Promise.withResolvers<void>();
    await page.route("**/api/v2/tokens?**", async (route) => {
      const url = route.request().url();
      if (url.includes("chain=base")) await held.base.promise;
      if (url.includes("chain=avax")) await held.avax.promise;
      if (!url.includes("chain=bsc")) return route.continue();
      await held.bsc.promise;
      const json = { success: true, data: { tokens: [{ token: localAddresses.trap, symbol: "LATE" }] } };
      // Fails if the page has cancelled the request.
      await route.fulfill({ json }).catch(() => {});
      late.resolve();
    });
    await signIn(page, await userWithCoins("toni", "eth"));
    const trade = panel(page);
    const token = trade.getByRole("combobox", { name: /^Token/ });
    const listed = trade.getByRole("group", { name: "Listed tokens" }).getByRole("button");
    await listed.first().waitFor();

    await trade.getByLabel("Chain").selectOption("base");
    expect(await token.inputValue()).toBe("");
    await token.fill(localAddresses.trap);
    held.base.resolve();
    await listed.first().waitFor();
    expect(await token.inputValue()).toBe(localAddresses.trap);

    await trade.getByLabel("Chain").selectOption("bsc");
    await trade.getByLabel("Chain").selectOption("eth");
    await listed.first().waitFor();
    held.bsc.resolve();
    await late.promise;
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await listed.allTextContents()).not.toContain("LATE");
    expect(await token.inputValue()).not.toBe(localAddresses.trap);

    // The list must not fill in its first token while the field has the focus, or pasted text would mix with it.
    await trade.getByLabel("Chain").selectOption("avax");
    await token.focus();
    held.avax.resolve();
    await listed.first().waitFor();
    expect(await token.inputValue()).toBe("");
    await context.close();
  });

  it("shows public pool warnings next to the order", async () => {
    const { page, context } = await browser.visit();
    await signIn(page, await userWithCoins("tara", "avax"));
    const trade = panel(page);
    await trade.getByLabel("Chain").selectOption("avax");
    await trade
      .getByRole("list", { name: "Warnings about the trade" })
      .getByText("mev unprotected")
      .waitFor();
    await trade.getByRole("button", { name: /^Buy .* of MOON$/ }).click();
    await openList(page, "Orders");
    const placed = rowsOf(page, "Orders").filter({ hasText: "MOON/AVAX" });
    await placed
      .getByRole("list", { name: "Warnings about the order" })
      .getByText("mev unprotected")
      .waitFor();
    await context.close();
  });
});
