import type { Page } from "playwright-core";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { describe, expect, it } from "vitest";
import { browserForTests, openList, rowsOf, signIn } from "./support/browser.ts";

const browser = browserForTests();
const { jupiter } = await solDeployment();

const panel = (page: Page, name: string) => page.getByRole("region", { name });

/** Signs in and selects the chain. */
async function onSol(page: Page) {
  await signIn(page, "alice");
  const trade = panel(page, "Trade");
  await trade.getByLabel("Chain").selectOption("sol");
  return { trade, token: trade.getByRole("combobox", { name: /^Token/ }) };
}

describe("the console on Solana", () => {
  it("buys with a custom limit and shows the transaction and the report", async () => {
    const { page, complaints, context, screenshot } = await browser.visit("/console/", { width: 1440 });
    const { trade } = await onSol(page);
    await trade.getByText("can be sold").waitFor();
    await trade.getByText("Limits of this order").click();
    await trade.getByLabel(/^Priority fee/).fill("0.002");
    expect(await trade.getByLabel(/gas/i).count()).toBe(0);
    await trade.getByText("Raydium CPMM 0.25 %").waitFor();
    // Equals thirty percent of the maximum that the first attempt may pay.
    await trade.getByText("0.000096 SOL", { exact: true }).waitFor();
    await trade.getByText("Rent of accounts").waitFor();
    const placing = page.waitForRequest((request) => request.url().endsWith("/api/v2/orders"));
    await trade.getByRole("button", { name: /^Buy .* of MOON$/ }).click();
    expect((await placing).postDataJSON()).toMatchObject({ chain: "sol", priorityFee: 0.002 });

    await openList(page, "Orders");
    const order = rowsOf(page, "Orders").filter({ hasText: "MOON/SOL" });
    await order.getByText(/filled/).waitFor();
    await order.getByText("Details").click();
    const attempt = order.getByRole("region", { name: "Attempt 1" });
    await attempt.getByText("swap, mined").waitFor();
    for (const name of ["Priority fee", "Tip", "Compute units", "Valid to block height"])
      await attempt.getByText(name, { exact: true }).waitFor();
    const report = order.getByRole("region", { name: "Report" });
    await report.getByText("0.1 SOL", { exact: true }).waitFor();
    for (const name of ["Rent of accounts", "Slot"]) await report.getByText(name, { exact: true }).waitFor();
    await screenshot("console-sol");
    expect(await page.locator("a[href*='solscan.io']").count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("applies the minimum typed for this amount to a token whose price comes only from a router's server", async () => {
    const { page, context } = await browser.visit();
    const { trade, token } = await onSol(page);
    await token.fill(jupiter.pools.ORBIT.mint);
    await trade.getByRole("button", { name: "Cannot buy ORBIT", disabled: true }).waitFor();
    const least = trade.getByLabel(/^At least, ORBIT/);
    await trade.getByText("no other source has a price").waitFor();
    expect(await least.inputValue()).toBe("");
    // Metis buys 1,017 of these tokens.
    await trade.getByText("You get about").waitFor();
    expect(await trade.locator("dd span[title$=' ORBIT']").count()).toBe(0);
    await least.fill("1000.5");
    await trade.getByLabel("Amount, SOL").fill("0.2");
    await expect.poll(() => least.inputValue()).toBe("");
    await trade.getByLabel("Amount, SOL").fill("0.1");
    expect(await least.inputValue()).toBe("");
    await least.fill("1000.5");
    const placing = page.waitForRequest((request) => request.url().endsWith("/api/v2/orders"));
    await trade.getByRole("button", { name: /^Buy .* of ORBIT$/, disabled: false }).click();
    const body = (await placing).postDataJSON();
    expect([body.minAmountOut, body.slippage]).toEqual(["1000.5", undefined]);
    await openList(page, "Orders");
    await rowsOf(page, "Orders")
      .filter({ hasText: "ORBIT/SOL" })
      .getByText(/filled/)
      .waitFor();
    expect(await least.inputValue()).toBe("");
    await context.close();
  });
});
