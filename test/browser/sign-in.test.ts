import { describe, expect, it } from "vitest";
import { sidewaysPixels } from "../../lib/console/test/support/desk.ts";
import { browserForTests, endedSignIn, openSide, signIn } from "./support/browser.ts";
import { userWithCoins } from "./support/users.ts";

const browser = browserForTests();

describe("the sign-in of the console", () => {
  it("leads through the issuer's page by keyboard, on a phone's screen, to the desk", async () => {
    const { page, complaints, context, screenshot } = await browser.visit("/console/", { width: 360 });
    const link = page.getByRole("link", { name: "Sign in" });
    await link.waitFor();
    expect(await sidewaysPixels(page)).toBe(0);
    await link.press("Enter");
    await page.getByLabel("User").fill("heidi");
    await page.keyboard.press("Enter");
    await page.getByText("Live", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("desk");
    const trade = page.getByRole("region", { name: "Trade" });
    await trade.getByText("can be sold").waitFor();
    await trade.getByRole("radio", { name: "Buy" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await trade.getByRole("radio", { name: "Sell" }).isChecked()).toBe(true);
    expect(await sidewaysPixels(page)).toBe(0);
    await screenshot("console-phone");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("works in a browser that keeps nothing, whose settings are shown before the stream sends them", async () => {
    const { page, context } = await browser.visit("about:blank");
    const block = (name: string) =>
      `Object.defineProperty(window, "${name}", { get() { throw new DOMException("Blocked", "SecurityError"); } });`;
    await page.addInitScript(["localStorage", "sessionStorage"].map(block).join("\n"));
    // Drops the stream's messages about the change.
    await page.routeWebSocket("**/stream", (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (!String(message).includes("TradingSettingsUpdated")) socket.send(message);
      });
    });
    await page.goto(new URL("/console/", browser.runner.baseUrl).href);
    await page.getByText("This browser lets the page keep nothing").waitFor();
    await signIn(page, "oscar");
    const settings = await openSide(page, "Settings");
    await settings.getByLabel("Slippage").fill("500");
    await settings.getByText("Only 0.0001 to 100 is accepted.").waitFor();
    await settings.getByLabel("Slippage").fill("7.5");
    await settings.getByRole("button", { name: "Save" }).click();
    await settings.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
    expect(await settings.getByLabel("Slippage").inputValue()).toBe("7.5");
    await context.close();
  });

  it("is asked for again on the same page, and survives a reload", async () => {
    const user = await userWithCoins("tina", "eth");
    const { page, context } = await browser.visit();
    await signIn(page, user);
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    const trade = page.getByRole("region", { name: "Trade" });
    const amount = trade.getByRole("textbox", { name: /^Amount/ });
    await amount.fill("0.25");
    const ended = await endedSignIn(page, user);
    let hasEnded = true;
    await page.route(/\/api\//, (route) => {
      const headers = hasEnded ? ended(route.request()) : {};
      hasEnded = false;
      return route.continue(headers);
    });
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
    const opened = context.waitForEvent("page");
    await dialog.getByRole("link", { name: "Sign in" }).click();
    const tab = await opened;
    await tab.getByLabel("User").fill(user);
    await tab.getByRole("button", { name: "Continue", exact: true }).click();
    await tab.getByText("Continue in the tab where you began").waitFor();
    expect(tab.url()).toBe(`${browser.runner.baseUrl}/console/`);
    await dialog.waitFor({ state: "detached" });
    await trade.getByRole("button", { name: "Buy 0.25 ETH of MOON", disabled: false }).waitFor();
    expect(await amount.inputValue()).toBe("0.25");
    await context.close();
  });
});
