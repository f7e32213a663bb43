import type { Locator, Page } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { browserForTests, endedSignIn, openSide, signIn, tryNow } from "./support/browser.ts";
import { streamOf } from "./support/market-stream.ts";
import { fund, userWithCoins } from "./support/users.ts";

const browser = browserForTests();

const isOrder = (url: URL) => url.pathname === "/api/v2/orders";

let users = 0;

/** Opens the ticket and keeps its orders from reaching the service. */
async function openTicket() {
  const visit = await browser.visit("about:blank");
  const { page } = visit;
  const stream = await streamOf(page);
  const bodies: Record<string, unknown>[] = [];
  await page.route(isOrder, (route) => {
    if (route.request().method() !== "POST") return route.continue();
    bodies.push(route.request().postDataJSON());
    return route.fulfill({
      status: 409,
      json: { success: false, error: { code: "INSUFFICIENT_BALANCE", message: "Kept from the service" } },
    });
  });
  await page.goto(new URL("/console/", browser.runner.baseUrl).href);
  await signIn(page, await userWithCoins(`tina-${++users}`, "eth"));
  const trade = page.getByRole("region", { name: "Trade" });
  return { ...visit, stream, trade, bodies, place: trade.locator(".place-bar button") };
}

const amountField = (page: Page) => page.getByRole("textbox", { name: /^Amount/ });

const isFocused = (button: Locator) =>
  button.evaluate((element) => element === element.ownerDocument.activeElement);

describe("the ticket", () => {
  it("binds the order to exactly the minimum shown in the ticket", async () => {
    const { trade, place, bodies, page, context } = await openTicket();
    await trade.getByText("Limits of this order").click();
    await trade.getByLabel(/^Slippage/).fill("7.5");
    const asked = page.waitForResponse(
      (answer) => answer.url().endsWith("/quotes") && answer.request().postDataJSON().slippage === 7.5,
    );
    await asked;
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    const least = await trade.locator("dd span[title$=' MOON']").getAttribute("title");
    await place.click();
    await page.getByText("Kept from the service").waitFor();
    expect(bodies).toHaveLength(1);
    expect(`${bodies[0]?.minAmountOut} MOON`).toBe(least);
    expect(bodies[0]).not.toHaveProperty("slippage");

    // The ticket rejects limits that are not numbers and clears all limits when the token changes.
    const slippage = trade.getByLabel(/^Slippage/);
    await slippage.fill("7,5");
    await trade.getByRole("button", { name: "Check the slippage", disabled: true }).waitFor();
    await slippage.fill("7.5");
    await trade.getByText("Limits of this order").getByText("set").waitFor();
    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.star);
    await page.getByRole("button", { name: /^Buy .* of STAR$/, disabled: false }).waitFor();
    expect(await slippage.inputValue()).toBe("");
    expect(await trade.getByText("Limits of this order").getByText("set").count()).toBe(0);
    await context.close();
  });

  it("switches sides by shortcut, keeps a typed amount and never places an order on Enter", async () => {
    const { trade, place, bodies, page, context } = await openTicket();
    await trade.getByText("Limits of this order").click();
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    for (const field of [
      amountField(page),
      trade.getByLabel(/^Slippage/),
      trade.getByRole("combobox", { name: /^Token/ }),
      trade.getByLabel("Wallet"),
    ]) {
      await field.focus();
      await page.keyboard.press("Enter");
    }
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    expect(bodies).toEqual([]);
    await place.press("Enter");
    await page.getByText("Kept from the service").waitFor();
    expect(bodies).toHaveLength(1);
    expect(await isFocused(place)).toBe(true);
    const isOn = (side: string) => trade.getByRole("radio", { name: side, exact: true }).isChecked();
    await trade.getByText("Sell", { exact: true }).click();
    // Closes the limits.
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    await expect.poll(() => isOn("Buy")).toBe(true);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("0.3");
    let presses = 0;
    while (presses < 5 && !(await isFocused(place))) {
      await page.keyboard.press("Tab");
      presses += 1;
    }
    expect(await isFocused(place)).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await amountField(page).inputValue()).toBe("0.3");
    await page.keyboard.press("s");
    await expect.poll(() => isOn("Sell")).toBe(true);
    await context.close();
  });

  it("replaces the button with the reason if an order would be rejected", async () => {
    const { trade, place, page, context } = await openTicket();
    const wordings = [
      ["", "Enter an amount"],
      ["1e3", "Enter an amount"],
      ["100000", "Cannot buy MOON"],
    ] as const;
    for (const [given, text] of wordings) {
      await amountField(page).fill(given);
      await trade.getByRole("button", { name: text, disabled: true }).waitFor();
    }
    await trade
      .getByRole("status")
      .getByText(/This needs [\d ]+\.?\d* ETH, fees included/)
      .waitFor();
    await trade.getByRole("combobox", { name: /^Token/ }).fill("0x12");
    await trade.getByRole("button", { name: "Pick a token", disabled: true }).waitFor();
    expect(await place.isDisabled()).toBe(true);
    await context.close();
  });

  it("buys an unsellable token only after its name is typed", async () => {
    const { trade, bodies, page, context } = await openTicket();
    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.trap);
    await trade.getByRole("button", { name: "Cannot buy TRAP", disabled: true }).waitFor();
    const confirmation = trade.getByLabel(/^To buy it anyway, type TRAP/);
    await confirmation.fill("TRA");
    await trade.getByRole("button", { name: "Cannot buy TRAP", disabled: true }).waitFor();
    await confirmation.fill("TRAP");
    await trade.getByRole("button", { name: /^Buy .* of TRAP$/, disabled: false }).click();
    await page.getByText("Kept from the service").waitFor();
    expect(bodies).toMatchObject([{ allowUnsafe: true, token: localAddresses.trap }]);
    // Scams may copy symbols, so each token needs its own confirmation.
    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.moon);
    await trade.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.trap);
    await trade.getByRole("button", { name: "Cannot buy TRAP", disabled: true }).waitFor();
    await context.close();
  });

  it("spends the whole balance, including coins that have just arrived", async () => {
    const { trade, page, context } = await openTicket();
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    await trade.getByText("2 ETH to spend", { exact: true }).waitFor();
    await fund("eth", await trade.getByLabel("Wallet").inputValue(), 5n);
    await trade.getByText("5 ETH to spend", { exact: true }).waitFor();
    await trade.getByRole("button", { name: "Max" }).click();
    const most = Number(await amountField(page).inputValue());
    expect(most).toBeGreaterThan(4.9);
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    expect(most).toBeLessThan(5);
    // Selecting a wallet keeps the token.
    const wallets = await openSide(page, "Wallets");
    await wallets.getByRole("button", { name: "Trade" }).click();
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    await context.close();
  });

  it("asks the user again when the price moves between quote and click", async () => {
    const { trade, bodies, page, context } = await openTicket();
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    await page.route("**/api/v2/quotes", async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const { quote } = json.data;
      for (const name of ["amountOut", "minAmountOut"]) quote[name] = String(Number(quote[name]) * 0.9);
      await route.fulfill({ response, json });
    });
    await trade.getByRole("button", { name: "Agree to the new price" }).click();
    expect(bodies).toEqual([]);
    await trade.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).click();
    await page.getByText("Kept from the service").waitFor();
    expect(Number(bodies[0]?.minAmountOut)).toBeLessThan(900);
    await context.close();
  });

  it("shows the age of all data when the service is silent or unreachable, and places no orders", async () => {
    const { trade, place, stream, page, context } = await openTicket();
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    // Loses the network while the connection still looks open.
    stream.hold(true);
    await page.getByText(/All data is [5-9] s old/).waitFor();
    await trade.getByRole("button", { name: "Offline", disabled: true }).waitFor();
    expect(await page.getByRole("status", { name: "Connection" }).innerText()).toBe("No answer");
    stream.hold(false);
    await page.getByText("All data is").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    // Keeps the handlers, because removing them may leave requests that are being sent unanswered.
    let isAway = true;
    for (const path of ["**/api/**", "**/getUserData"])
      await page.route(path, (route) => (isAway ? route.abort() : route.continue()));
    await stream.cut();
    await page.getByRole("alert").getByText("The service does not answer").waitFor();
    await page.getByText(/All data is \d+ s old/).waitFor();
    await trade.getByRole("button", { name: "Offline", disabled: true }).waitFor();
    // The client does not retry a request after this refusal.
    await page.route("**/tokens?chain=base", (route) =>
      isAway ? route.fulfill({ status: 403, json: {} }) : route.continue(),
    );
    await trade.getByLabel("Chain").selectOption("base");
    isAway = false;
    stream.mend();
    await tryNow(page);
    await page.getByText("All data is").waitFor({ state: "detached" });
    await trade.getByRole("group", { name: "Listed tokens" }).getByRole("button").first().waitFor();
    await trade.getByLabel("Chain").selectOption("eth");
    await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    expect(await place.isEnabled()).toBe(true);
    await context.close();
  });

  it("asks the user to sign in again on the same page and keeps the session over a reload", async () => {
    const { trade, page, context } = await openTicket();
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await amountField(page).fill("0.25");
    const ended = await endedSignIn(page, `tina-${users}`);
    await page.route(/\/api\//, (route) => route.continue(ended(route.request())), { times: 1 });
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
    const opened = context.waitForEvent("page");
    await dialog.getByRole("link", { name: "Sign in" }).click();
    const tab = await opened;
    await tab.getByLabel("User").fill(`tina-${users}`);
    await tab.getByRole("button", { name: "Continue", exact: true }).click();
    await tab.getByText("Go on in the tab where you began").waitFor();
    expect(tab.url()).toBe(`${browser.runner.baseUrl}/console/`);
    await dialog.waitFor({ state: "detached" });
    await trade.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).waitFor();
    expect(await amountField(page).inputValue()).toBe("0.25");
    await context.close();
  });
});
