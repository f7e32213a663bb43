import type { Page } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { browserForTests, openList, openSide, rowsOf, signIn } from "./support/browser.ts";
import { userWithCoins } from "./support/users.ts";

const browser = browserForTests();

/** Private key of the first account of Hardhat and Anvil, which is public knowledge. */
const knownKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

const panel = (page: Page, name: string) => page.getByRole("region", { name });

describe("the console", () => {
  it("creates, names and retires wallets and shows the stream's updates", async () => {
    const { page, complaints, context, origins } = await browser.visit();
    await signIn(page, "carol");
    const wallets = await openSide(page, "Wallets");
    await wallets.getByText("Make a wallet").click();
    await wallets.getByLabel("Name").fill("Sniper");
    await wallets.getByLabel("pink").check({ force: true });
    await wallets.getByRole("button", { name: "Make" }).click();
    const row = wallets.getByRole("listitem").filter({ hasText: "Sniper" });
    await row.waitFor();
    expect(await row.locator(".dot").first().getAttribute("class")).toContain("pink");

    await row.getByRole("button", { name: "Edit" }).click();
    await row.getByLabel("Name").fill("Vault");
    await row.getByRole("button", { name: "Save" }).click();
    const renamed = wallets.getByRole("listitem").filter({ hasText: "Vault" });
    await renamed.getByRole("button", { name: "Edit" }).click();
    await renamed.getByRole("button", { name: "Retire" }).click();
    await renamed.getByRole("button", { name: "Yes, retire it" }).click();
    await wallets.getByText("No wallets yet.").waitFor();
    // The page remembers the wallet when the request is answered, which may be after the stream's event.
    await wallets.getByRole("button", { name: "Restore" }).waitFor();
    await page.keyboard.press("Escape");
    const messages = await openSide(page, "Messages");
    await messages.getByText("WalletsUpdated").nth(2).waitFor();
    await page.reload();
    await openSide(page, "Wallets");
    let isRefused = true;
    await page.route("**/restore", (route) =>
      isRefused ? route.fulfill({ status: 403, json: { message: "Forbidden" } }) : route.continue(),
    );
    await wallets.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Problem", { exact: true }).waitFor();
    expect(await page.getByText("Vault is restored").count()).toBe(0);
    isRefused = false;
    await wallets.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Vault is restored").waitFor();
    await renamed.getByRole("button", { name: "Edit" }).waitFor();

    // Browsers log refused requests as errors. The ticket may ask about the wallet while it is retired.
    const expected = /status of 403 .*\/restore$|status of 404 .*\/(balances\?|quotes$)/;
    expect(complaints.filter((text) => !expected.test(text))).toEqual([]);
    expect([...origins]).toEqual([browser.runner.baseUrl]);
    const kept = await page.evaluate("[{ ...localStorage }, { ...sessionStorage }, document.cookie]");
    const only = { "refresh-token": expect.stringContaining('"user":"carol"') };
    const lasting = { "opened carol": expect.any(String), "retired-wallets carol": expect.any(String) };
    expect(kept).toEqual([lasting, only, ""]);
    await context.close();
  });

  it("encrypts a private key before it leaves the page", async () => {
    const { page, complaints, context } = await browser.visit();
    const bodies: string[] = [];
    page.on("request", (request) => bodies.push(request.postData() ?? ""));
    await signIn(page, "dora");
    const wallets = await openSide(page, "Wallets");
    await wallets.getByText("Import a wallet, sealed").click();
    await wallets.getByLabel("Private key").fill(knownKey);
    await wallets.getByRole("button", { name: "Seal and import" }).click();
    await wallets.getByTitle("Copy 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266").waitFor();
    expect(await wallets.getByLabel("Private key").inputValue()).toBe("");
    expect(bodies.some((body) => body.includes("ciphertext"))).toBe(true);
    expect(bodies.join()).not.toContain(knownKey.slice(2));
    expect(await page.content()).not.toContain(knownKey.slice(2));
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("shows settings that were changed in another tab and does not overwrite them", async () => {
    const one = await browser.visit();
    const other = await browser.visit("/console/", { context: one.context });
    await signIn(one.page, "erin");
    await signIn(other.page, "erin");
    const [here, there] = [await openSide(one.page, "Settings"), await openSide(other.page, "Settings")];
    await here.getByLabel("Slippage").fill("2.5");
    await here.getByRole("button", { name: "Save" }).click();
    await there.getByText("version 1").waitFor();
    expect(await there.getByLabel("Slippage").inputValue()).toBe("2.5");
    await here.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });

    await there.getByLabel("Slippage").fill("9");
    await here.getByText("turbo").click();
    await here.getByRole("button", { name: "Save" }).click();
    await there.getByText("Changed elsewhere meanwhile").waitFor();
    expect(await there.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await there.getByRole("button", { name: "Show the current settings" }).click();
    expect(await there.getByLabel("Slippage").inputValue()).toBe("2.5");
    expect(await there.getByLabel("turbo").isChecked()).toBe(true);
    expect([...one.complaints, ...other.complaints]).toEqual([]);

    await one.page.keyboard.press("Escape");
    await one.page.getByRole("button", { name: "Sign out" }).click();
    await other.page.getByText("You signed out in another tab.").waitFor();
    await one.page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(one.page.url()).toBe(`${browser.runner.baseUrl}/console/`);
    await one.context.close();
  });

  it("inspects tokens, buys, sells, and follows orders and positions", async () => {
    const { page, complaints, context, screenshot } = await browser.visit("/console/", {
      width: 1440,
      colorScheme: "dark",
    });
    await signIn(page, await userWithCoins("irene", "eth"));
    const trade = panel(page, "Trade");
    const orders = rowsOf(page, "Orders");
    await trade.getByText("can be sold").waitFor();
    await trade
      .getByText(/^[\d.]+ MOON$/)
      .first()
      .waitFor();
    await trade.getByRole("button", { name: "Max" }).click();
    await trade.getByRole("button", { name: /^Buy 1\.9\d+ ETH of MOON$/, disabled: false }).waitFor();
    await trade.getByRole("textbox", { name: /^Amount/ }).fill("0.1");
    await trade.getByRole("button", { name: "Buy 0.1 ETH of MOON" }).click();
    await openList(page, "Orders");
    await orders
      .filter({ hasText: "buy" })
      .getByText(/filled/)
      .waitFor();

    await trade.getByText("Sell", { exact: true }).click();
    await trade.getByRole("button", { name: /^Sell .*MOON$/ }).click();
    await orders
      .filter({ hasText: "sell" })
      .getByText(/filled/)
      .waitFor();
    await openList(page, "Positions");
    await panel(page, "Positions").getByText("closed").waitFor();
    const realized = await rowsOf(page, "Positions").locator("td[data-name=Realized]").textContent();
    const portfolio = await openSide(page, "Portfolio");
    await portfolio.getByRole("combobox", { name: /^Of/ }).selectOption("eth");
    const net = await portfolio.locator("td[data-name='Net profit']").innerText();
    expect(realized).toContain(`${net} `);
    await page.keyboard.press("Escape");
    await openList(page, "Orders");
    const sale = orders.filter({ hasText: "sell" });
    await sale.getByText("Details").click();
    await sale.getByText("At least").first().waitFor();
    await screenshot("console-dark");

    const list = panel(page, "Orders");
    await list.getByLabel("Status").selectOption("rejected");
    await list.getByText("No such orders.").waitFor();
    await list.getByLabel("Status").selectOption("filled");
    await list.getByLabel("Chain").selectOption("eth");
    await list.getByRole("button", { name: "Older orders" }).click();
    await list.getByRole("button", { name: "Older orders" }).waitFor({ state: "detached" });
    expect(await orders.count()).toBe(2);

    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.trap);
    await trade.getByText("cannot be sold", { exact: true }).waitFor();
    // Browsers log refused quotes as errors. This one is refused because nothing is left to sell.
    expect(complaints.filter((text) => !text.includes("status of 400"))).toEqual([]);
    await context.close();
  });

  it("runs only its own scripts and cannot be framed", async () => {
    const { headers } = await fetch(`${browser.runner.baseUrl}/console/`);
    const policy = headers.get("content-security-policy");
    expect(policy?.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        // The page may call itself under another name of this machine, and the issuer.
        `connect-src 'self' ${browser.runner.baseUrl}`,
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*/);

    const { page, context } = await browser.visit();
    const markup = "document.body.innerHTML = '<img src=data:x onerror=\"document.title = 1\">'";
    await expect(page.evaluate(markup)).rejects.toThrow("TrustedHTML");
    const script = "document.head.append(Object.assign(document.createElement('script'), { text: '1' }))";
    await expect(page.evaluate(script)).rejects.toThrow("TrustedScript");
    expect(await page.title()).toBe("Trading terminal: console");
    await context.close();
  });
});
