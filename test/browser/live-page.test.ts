import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { browserForTests } from "./support/browser.ts";
import { tokenOf, userWithCoins } from "./support/users.ts";

const browser = browserForTests();
const { ofTheSite, ofAnother } = inject("pages");

const status = (page: Page) => page.getByRole("status");

async function signIn(page: Page, user: string): Promise<void> {
  await page.getByRole("textbox", { name: "Token" }).fill(await tokenOf(user));
  await page.getByRole("button", { name: "Sign in" }).click();
}

describe("the live page", () => {
  it("keeps the live page within 60 lines", () => {
    expect(readFileSync("docs/live-page.html", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  });

  it("shows changes to settings and an order in two tabs with a cookie that the page cannot read", async () => {
    const path = `${ofTheSite}/live-page.html`;
    const { page: one, context, origins } = await browser.visit(path);
    await signIn(one, await userWithCoins("lee", "eth"));
    await status(one).getByText("live").waitFor();
    // The cookie already signs in the second tab.
    const { page: other } = await browser.visit(path, { context });
    await status(other).getByText("live").waitFor();
    expect(await one.evaluate("document.cookie")).toBe("");
    expect(
      (await context.cookies()).map(({ httpOnly, secure, sameSite, domain }) => ({
        httpOnly,
        secure,
        sameSite,
        domain,
      })),
    ).toEqual([{ httpOnly: true, secure: true, sameSite: "Strict", domain: "api.terminal.localhost" }]);

    await one.getByLabel("Slippage").fill("3.25");
    await one.getByRole("button", { name: "Save" }).click();
    await other.waitForFunction("document.forms.settings.slippage.value === '3.25'");

    await other.getByRole("button", { name: "Buy MOON" }).click();
    for (const page of [one, other]) await page.getByText("buy MOON/ETH: filled").waitFor();
    const api = browser.runner.baseUrl.replace("127.0.0.1", "api.terminal.localhost");
    expect([...origins].toSorted()).toEqual([api, ofTheSite].toSorted());
    await context.close();
  });

  it("keeps the token out of the page's address, even if it is sent while the page still loads", async () => {
    const { page, context } = await browser.visit("about:blank");
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/getUserData", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${ofTheSite}/live-page.html`);
    await page.getByRole("button", { name: "Buy MOON" }).click();
    await status(page).getByText("Sign in first").waitFor();
    await page.getByLabel("Token").fill("not.a.token");
    await page.getByRole("button", { name: "Sign in" }).click();
    await status(page).getByText("Invalid token").waitFor();
    expect(await page.getByLabel("Token").inputValue()).toBe("");
    expect(page.url()).toBe(`${ofTheSite}/live-page.html`);
    release();
    await context.close();
  });

  it("keeps half-typed text and does not overwrite changes from other tabs", async () => {
    const path = `${ofTheSite}/live-page.html`;
    const { page: one, context } = await browser.visit(path);
    await signIn(one, "mallory");
    await status(one).getByText("live").waitFor();
    const { page: other } = await browser.visit(path, { context });
    await status(other).getByText("live").waitFor();
    await other.getByLabel("Slippage").fill("9");
    await one.getByLabel("Slippage").fill("4.5");
    await one.getByRole("button", { name: "Save" }).click();
    await one.waitForFunction("document.forms.settings.slippage.defaultValue === '4.5'");
    await other.getByRole("button", { name: "Save" }).click();
    await status(other).getByText("changed").waitFor();
    expect(await other.getByLabel("Slippage").inputValue()).toBe("9");
    expect(await one.getByLabel("Slippage").inputValue()).toBe("4.5");

    // Another user sees other settings.
    await signIn(one, "niaj");
    await one.waitForFunction("!['', '4.5'].includes(document.forms.settings.slippage.value)");
    await status(one).getByText("live").waitFor();
    await one.getByRole("button", { name: "Buy MOON" }).click();
    await status(one).getByText("There is no wallet on eth").waitFor();
    await context.close();
  });

  it("prevents pages of other sites from using the cookie", async () => {
    const api = browser.runner.baseUrl.replace("127.0.0.1", "api.terminal.localhost");
    /** Returns the status of a request with cookies, even if the page may not read the response. */
    async function statusFor(page: Page): Promise<number> {
      const answered = page.waitForResponse(`${api}/listWallets`);
      await page.evaluate(`fetch("${api}/listWallets", { mode: "no-cors", credentials: "include" })`);
      return (await answered).status();
    }
    const connect = `new Promise((done) => {
      const socket = new WebSocket("${api.replace("http", "ws")}/stream");
      socket.onopen = () => done("open");
      socket.onclose = ({ code }) => done(code);
    })`;
    const { page: mine, context } = await browser.visit(`${ofTheSite}/live-page.html`);
    await signIn(mine, "lena");
    await status(mine).getByText("live").waitFor();
    expect(await statusFor(mine)).toBe(200);
    expect(await mine.evaluate(connect)).toBe("open");

    const { page: foreign } = await browser.visit(`${ofAnother}/live-page.html`, { context });
    expect(await statusFor(foreign)).toBe(401);
    expect(await foreign.evaluate(connect)).toBe(1006);
    await context.close();
  });
});
