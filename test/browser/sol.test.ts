import type { Page } from "playwright-core";
import { exampleSolWallet } from "trading-terminal-devnet/example-wallets";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { describe, expect, it } from "vitest";
import { browserForTests, openList, openSide, rowsOf, signIn } from "./support/browser.ts";

const browser = browserForTests();
const { tokens, jupiter } = await solDeployment();

const panel = (page: Page, name: string) => page.getByRole("region", { name });
const explorerLinks = (page: Page) => page.locator("a[href*='solscan.io']");

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
    expect(await explorerLinks(page).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("shows the flags of a pasted mint, and rejects another chain's address without requesting a quote", async () => {
    const { page, context } = await browser.visit();
    const { trade, token } = await onSol(page);
    const flags = trade.getByRole("list", { name: "Warnings about the token" });
    await token.fill(tokens.FEEZ.mint);
    await trade.getByText("Tax 1 % in, 1 % out").waitFor();
    await flags.getByText("taxed").waitFor();
    await token.fill(tokens.TRAP.mint);
    await trade.getByText("cannot be sold", { exact: true }).waitFor();
    await flags.getByText("frozen by default").waitFor();
    await trade.getByLabel("Chain").selectOption("eth");
    await token.fill(tokens.TRAP.mint);
    await trade.getByText("This is not an address of a token on Ethereum.").waitFor();
    expect(await trade.getByText("Asking for a quote").count()).toBe(0);
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

  it("links to a public block explorer if the chain is not local", async () => {
    const { page, context } = await browser.visit("about:blank");
    await page.route("**/explorers.json", (route) => route.fulfill({ json: { sol: "https://solscan.io" } }));
    await page.goto(new URL("/console/", browser.runner.baseUrl).href);
    await onSol(page);
    const wallets = await openSide(page, "Wallets");
    await wallets.locator(`a[href="https://solscan.io/account/${exampleSolWallet.address}"]`).waitFor();
    await page.locator(`a[href="https://solscan.io/token/${tokens.MOON.mint}"]`).first().waitFor();
    await context.close();
  });

  it("saves a priority fee setting of one lamport", async () => {
    const { page, context } = await browser.visit();
    await signIn(page, "kim");
    const settings = await openSide(page, "Settings");
    await settings.getByText("Solana", { exact: true }).click();
    await settings.getByLabel(/^Priority fee/).fill("0.000000001");
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("version 1").waitFor();
    expect(await settings.getByLabel(/^Priority fee/).inputValue()).toBe("0.000000001");
    await settings.getByLabel("Slippage").fill("2");
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByText("version 2").waitFor();
    await context.close();
  });
});
