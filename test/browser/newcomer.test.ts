import type { Locator } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startRandomTrader } from "trading-terminal-devnet/evm/random-trader";
import { describe, expect, it } from "vitest";
import { browserForTests, rowsOf, signIn } from "./support/browser.ts";
import { chainUrl } from "./support/users.ts";

const browser = browserForTests();

const phone = { width: 360, height: 740 };

/** Waits until the accessibility tree, which screen readers read, has these nodes in this order. */
async function expectTree(part: Locator, nodes: readonly string[]): Promise<void> {
  async function missing(): Promise<string[]> {
    const tree = await part.ariaSnapshot();
    let from = 0;
    return nodes.filter((node) => {
      const at = tree.indexOf(node, from);
      from = Math.max(from, at);
      return at < 0;
    });
  }
  await expect.poll(missing).toEqual([]);
}

describe("a newcomer with a phone", () => {
  it("lets a newcomer sign in, create and fund a wallet, buy, watch the profit and sell half", async () => {
    const { page, context, complaints, screenshot } = await browser.visit("about:blank", phone);
    await page.goto(new URL("/console/", browser.runner.baseUrl).href);
    await expectTree(page.locator("body"), ['heading "Trading terminal"', '"Sign in"']);
    await signIn(page, `newcomer-${Date.now()}`);
    const tab = (name: string) =>
      page.getByRole("navigation", { name: "Parts of the desk" }).getByRole("button", { name }).click();
    const trade = page.getByRole("region", { name: "Trade" });
    // Avoids eth, because other test files request quotes there and need stable prices.
    await trade.getByLabel("Chain").selectOption("base");
    await page.getByRole("button", { name: "Make a wallet on Base" }).click();
    const wallets = page.getByRole("dialog", { name: "Wallets" });
    const making = wallets.getByRole("form", { name: "Make a wallet" });
    await making.getByLabel("Name").fill("First");
    await making.getByRole("button", { name: "Make" }).click();
    await wallets.getByRole("listitem").filter({ hasText: "First" }).waitFor();

    await page.keyboard.press("Escape");
    await tab("Trade");
    await trade.getByRole("combobox", { name: /^Token/ }).fill("moon");
    const found = page.getByRole("listbox", { name: "Found tokens" }).getByRole("option");
    await found.filter({ hasText: "Base" }).filter({ hasText: "listed" }).click();
    await trade.getByRole("button", { name: "Get 10 test coins" }).click();
    await trade.getByText("Limits of this order").click();
    await trade.getByLabel(/^Slippage/).fill("3");
    const placed = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith("/orders"),
    );
    await trade.getByRole("button", { name: "Buy 0.1 ETH of MOON", disabled: false }).click();
    const sheet = page.getByRole("dialog", { name: "Buy 0.1 ETH of MOON" });
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
});
