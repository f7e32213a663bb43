import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { consoleForTests } from "./support/browser.ts";

const console = consoleForTests();

/** The well-known key of the first account of Hardhat and Anvil. */
const knownKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

async function signIn(page: Page, user: string): Promise<void> {
  await page.getByLabel("User").fill(user);
  await page.getByRole("button", { name: "Get a local token" }).click();
  await page.getByText(`Signed in as ${user}`).waitFor();
}

/** Presses an operation's button, waits for that status, and returns the answer. */
async function call(page: Page, button: string, status: number): Promise<string> {
  await page.locator("#status").evaluate((element) => {
    element.textContent = "";
  });
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.locator("#status").getByText(`: ${status} in`).waitFor();
  return page.locator("#answer").innerText();
}

async function connect(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.locator("#connection").getByText("Connected", { exact: true }).waitFor();
}

const messages = (page: Page, text: string) => page.locator("#messages li").filter({ hasText: text });

describe("the console", () => {
  it("calls every operation, and keeps no secret", async () => {
    const { page, complaints, origins, screenshot } = await console.visit();
    await call(page, "GET /listWallets", 401);
    expect(complaints.splice(0)).toEqual([expect.stringContaining("401")]);

    await signIn(page, "carol");
    await page.getByLabel("privateKey").fill(knownKey);
    expect(await call(page, "POST /storeWallet_v2", 200)).toContain("Wallet stored successfully");
    expect(await page.getByLabel("privateKey").inputValue()).toBe("");
    expect(await call(page, "GET /listWallets", 200)).toContain("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    expect(await call(page, "GET /api/v2/wallets", 200)).toContain('"success": true');
    expect(await call(page, "GET /api/waitlist/v2/rewards", 200)).toContain('"rewards"');
    expect(await call(page, "GET /getUserData", 200)).toContain('"userID": "carol"');
    await page.locator("select[name=type]").selectOption("ref");
    expect(await call(page, "GET /getUserData", 200)).toContain('"referrals"');
    await page.getByLabel("chain").selectOption("sol");
    await page.getByLabel("slippage").fill("2.5");
    await page.getByLabel("autoBuy").selectOption("true");
    const settings = JSON.parse(await call(page, "POST /updateTradingSettings", 200));
    expect(settings).toMatchObject({ slippage: 2.5, autoBuy: true, mevProtection: true });
    await screenshot("operations");
    expect(complaints).toEqual([]);

    await page.getByLabel("slippage").fill("a lot");
    expect(await call(page, "POST /updateTradingSettings", 400)).toContain("slippage must be a number");

    const kept = await page.evaluate("[{ ...localStorage }, { ...sessionStorage }, document.cookie]");
    expect(kept).toEqual([{}, {}, ""]);
    expect(await page.content()).not.toContain(knownKey);
    expect([...origins]).toEqual([console.runner.baseUrl]);
    await page.context().close();
  });

  it("shows prices as they tick, in a table and a chart", async () => {
    const { page, complaints, screenshot } = await console.visit();
    await signIn(page, "dave");
    await connect(page);
    await page.getByRole("button", { name: "Subscribe", exact: true }).click();
    await page.locator("#subscriptions").getByText("orders, positions, prices").waitFor();
    await page.locator("#prices tr").nth(4).waitFor();
    for (const asset of ["ETH", "SOL", "BNB", "AVAX"])
      await page.locator("#prices").getByRole("cell", { name: asset, exact: true }).first().waitFor();
    expect(await page.locator("#prices").getByText("simulated").count()).toBe(5);
    const pointsOf = async () => {
      const lines = await page.locator("#chart polyline").all();
      const points = await Promise.all(lines.map((line) => line.getAttribute("points")));
      return points.map((list = "") => list?.split(" ").length ?? 0);
    };
    await expect
      .poll(async () => (await pointsOf()).filter((count) => count >= 5), { timeout: 30_000 })
      .toHaveLength(4);
    await screenshot("prices");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("shows the user's own events, and the messages it sends", async () => {
    const { page, complaints } = await console.visit();
    await signIn(page, "erin");
    await connect(page);
    await page.getByRole("button", { name: "Ping" }).click();
    await messages(page, '"type":"pong"').first().waitFor();

    await page.getByLabel("slippage").fill("7.5");
    await call(page, "POST /updateTradingSettings", 200);
    const event = await messages(page, "TradingSettingsUpdated").first().innerText();
    expect(event).toContain('"slippage":7.5');

    await page.getByRole("checkbox", { name: "prices" }).uncheck();
    await page.getByRole("button", { name: "Subscribe", exact: true }).click();
    await page.locator("#subscriptions").getByText("orders, positions", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Unsubscribe" }).click();
    await page.locator("#subscriptions").getByText("nothing").waitFor();
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.locator("#connection").getByText("Closed with 1000").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("takes a pasted token, and says if it is not accepted", async () => {
    const { page } = await console.visit();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.locator("#connection").getByText("Sign in first").waitFor();

    await page.getByPlaceholder("paste one").fill("not.a.token");
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByText("Signed in with the pasted token").waitFor();
    expect(await page.getByPlaceholder("paste one").inputValue()).toBe("");
    expect(await call(page, "GET /listWallets", 401)).toContain("Invalid token");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.locator("#connection").getByText("Closed with 1006").waitFor();

    const response = await fetch(`${console.runner.baseUrl}/_local/issuer/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sub: "frank" }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    await page.getByPlaceholder("paste one").fill(` ${access_token} `);
    await page.getByRole("button", { name: "Use it" }).click();
    expect(await call(page, "GET /getUserData", 200)).toContain('"userID": "frank"');
    await page.context().close();
  });

  it("runs only its own scripts, and refuses to be framed", async () => {
    const { headers } = await fetch(`${console.runner.baseUrl}/console`);
    const policy = headers.get("content-security-policy");
    expect(policy?.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        `connect-src 'self' ${console.runner.streamUrl}`,
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*/);

    const { page } = await console.visit();
    const markup = "document.body.innerHTML = '<img src=data:x onerror=\"document.title = 1\">'";
    await expect(page.evaluate(markup)).rejects.toThrow("TrustedHTML");
    const script = "document.head.append(Object.assign(document.createElement('script'), { text: '1' }))";
    await expect(page.evaluate(script)).rejects.toThrow("TrustedScript");
    expect(await page.title()).toBe("Trading terminal: console");
    await page.context().close();
  });
});
