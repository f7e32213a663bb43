import type { Locator } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startRandomTrader } from "trading-terminal-devnet/evm/random-trader";
import { describe, expect, it } from "vitest";
import { brokenRules } from "../../lib/console/test/support/browser.ts";
import { browserForTests, rowsOf, signIn } from "./support/browser.ts";
import { chainUrl, userWithCoins } from "./support/users.ts";

const browser = browserForTests();

const phone = { width: 360, height: 740 };

/** Opens all drawers and lists controls too small for a finger: below 44 pixels of height. Links in text are exempt. */
const smallTargets = `for (const drawer of document.querySelectorAll("details")) drawer.open = true;
[...document.querySelectorAll("button, input, select, summary, [role=option], nav a, li a")]
  .filter((one) => one.checkVisibility())
  // The label of a radio button or a checkbox is what a finger hits.
  .map((one) => (["radio", "checkbox"].includes(one.type) ? one.closest("label") : one))
  .map((one) => [one.textContent || one.id, Math.round(one.getBoundingClientRect().height)])
  .filter(([, height]) => height < 44)`;

/** Expects nodes of the accessibility tree, which screen readers read, in this order. */
async function expectTree(part: Locator, nodes: readonly string[]): Promise<void> {
  const tree = await part.ariaSnapshot();
  let from = 0;
  for (const node of nodes) {
    const at = tree.indexOf(node, from);
    expect(at, `${node} after character ${from} of\n${tree}`).toBeGreaterThanOrEqual(0);
    from = at;
  }
}

describe("a newcomer with a phone", () => {
  it("lets a newcomer sign in, create and fund a wallet, buy, watch the profit and sell half", async () => {
    const { page, context, complaints, screenshot } = await browser.visit("about:blank", phone);
    await page.goto(new URL("/console/", browser.runner.baseUrl).href);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await expectTree(page.locator("body"), ['heading "Trading terminal"', '"Sign in"']);
    await signIn(page, `newcomer-${Date.now()}`);
    const tab = (name: string) =>
      page.getByRole("navigation", { name: "Parts of the desk" }).getByRole("button", { name }).click();
    const trade = page.getByRole("region", { name: "Trade" });
    // Avoids eth, because other test files request quotes there and need stable prices.
    await trade.getByLabel("Chain").selectOption("base");
    await page.getByRole("button", { name: "No wallet on Base", disabled: true }).waitFor();

    await tab("Wallets");
    const wallets = page.getByRole("dialog", { name: "Wallets" });
    await wallets.getByText("Make a wallet").click();
    const making = wallets.getByRole("form", { name: "Make a wallet" });
    await making.getByLabel("Network").selectOption("base");
    await making.getByLabel("Name").fill("First");
    await making.getByRole("button", { name: "Make" }).click();
    await wallets.getByRole("listitem").filter({ hasText: "First" }).waitFor();

    await page.keyboard.press("Escape");
    await tab("Trade");
    await trade.getByRole("button", { name: "Get 10 test coins" }).click();
    await trade.getByText("Limits of this order").click();
    await trade.getByLabel(/^Slippage/).fill("3");
    const placed = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith("/orders"),
    );
    await trade.getByRole("button", { name: "Buy 0.1 ETH of MOON", disabled: false }).click();
    const sheet = page.getByRole("dialog", { name: "Buy 0.1 ETH of MOON" });
    await sheet.getByText(/^Buys MOON for 0.1 ETH now: about/).waitFor();
    await expectTree(sheet, [
      'dialog "Buy 0.1 ETH of MOON"',
      'heading "Buy 0.1 ETH of MOON"',
      'button "Close"',
      'paragraph: "Buys MOON for 0.1 ETH now: about',
      "term: At least",
      "term: Price impact",
      "term: Network fee",
      "term: Wallet",
      'button "Confirm 0.1 ETH"',
    ]);
    await sheet.getByRole("button", { name: "Confirm 0.1 ETH", disabled: false }).click();
    await sheet.waitFor({ state: "detached" });
    expect((await placed).postDataJSON()).toHaveProperty("minAmountOut");
    await page.getByText("The buy of MOON is placed").waitFor();

    await tab("Positions");
    const position = rowsOf(page, "Positions");
    await position.getByText("open", { exact: true }).waitFor();
    const profit = position.locator(".profit");
    await profit.getByText("ETH before fees").waitFor();
    const before = await profit.innerText();
    const token = localAddresses.moon;
    const trader = startRandomTrader({
      chains: [{ chain: "base", url: await chainUrl("base") }],
      watched: async () => [{ chain: "base", token }],
      // Makes the random trader buy rather than sell.
      random: () => 0.99,
      onFailure: (error) => expect.unreachable(String(error)),
    });
    await profit.locator(".up").waitFor();
    await trader.stop();
    expect(await profit.innerText()).not.toBe(before);
    await screenshot("newcomer-position");

    await position.getByRole("button", { name: "Sell 50 %" }).click();
    const sale = page.getByRole("region", { name: "Sell 50 % of MOON" });
    const sell = sale.getByRole("button", { name: "Sell 50 % of MOON", disabled: false });
    await sell.waitFor();
    await expectTree(sale, ["term: At least", "term: You sell", 'button "Sell 50 % of MOON"']);
    await sell.click();
    await page.getByText("The sale of 50 % of the MOON is placed").waitFor();
    await tab("Orders");
    const orders = rowsOf(page, "Orders");
    await orders.filter({ hasText: "sell" }).getByText("filled").waitFor();
    await tab("Positions");
    await position.getByText("open", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("keeps everything within thumb's reach: tabs, Buy without scrolling, and 44-pixel targets", async () => {
    const { page, context } = await browser.visit("/console/", phone);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await page.evaluate(smallTargets)).toEqual([]);
    await signIn(page, await userWithCoins("thea", "eth"));
    const buy = page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false });
    await buy.waitFor();
    const tabs = page.getByRole("navigation", { name: "Parts of the desk" });
    const [box, bar] = [await buy.boundingBox(), await tabs.boundingBox()];
    expect((box?.y ?? 0) + (box?.height ?? phone.height)).toBeLessThanOrEqual(bar?.y ?? 0);
    expect(await page.evaluate("scrollY")).toBe(0);
    for (const name of ["Positions", "Orders", "Wallets", "More", "Trade"]) {
      await tabs.getByRole("button", { name }).click();
      expect(
        await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
      ).toBe(0);
      expect({ name, small: await page.evaluate(smallTargets) }).toEqual({ name, small: [] });
      await page.keyboard.press("Escape");
    }
    await context.close();
  });
});

describe("accessibility of the console", () => {
  it.each(["light", "dark"] as const)("breaks no accessibility rule in the %s theme", async (colorScheme) => {
    const { page, context } = await browser.visit("/console/", { colorScheme });
    await signIn(page, await userWithCoins(`reader-${colorScheme}`, "eth"));
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    await context.close();
  });
});
