import type { Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { openSide, sidewaysPixels } from "../support/desk.ts";
import { answered, desksForTests, refused } from "../support/scripted-desk.ts";
import { scriptedProfile, signInByScript, walletNumber } from "../support/scripted-service.ts";

const openDesk = desksForTests();
const focusedText = (page: Page) => page.evaluate("document.activeElement.textContent");

describe("the panels around the desk", () => {
  it("say why a request could not be sent", async () => {
    const { page, context } = await openDesk();
    await page.evaluate("crypto.getRandomValues = () => { throw new Error('No randomness'); }");
    const wallets = await openSide(page, "Wallets");
    await wallets.getByText("Make a wallet").click();
    await wallets.getByRole("button", { name: "Make" }).click();
    await page.getByText("Error: No randomness").waitFor();
    await context.close();
  });

  it("make a wallet on the chain of a ticket that has none, by one press of its button", async () => {
    const { page, context } = await openDesk({ width: 360, height: 740, wallets: [] });
    const made: unknown[] = [];
    await page.route("**/api/v2/wallets", (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      made.push(route.request().postDataJSON());
      return route.fulfill(answered({ wallet: walletNumber(0, "First") }));
    });
    const trade = page.getByRole("region", { name: "Trade" });
    await trade.getByLabel("Chain").selectOption("bsc");
    await trade.getByRole("button", { name: "Make a wallet on BNB Chain", disabled: false }).click();
    const wallets = page.getByRole("dialog", { name: "Wallets" });
    expect(await focusedText(page)).toBe("Make a wallet");
    await wallets.getByRole("button", { name: "Make", exact: true }).click();
    await page.getByText("First is made").waitFor();
    expect(made).toEqual([{ network: "bsc" }]);
    await wallets.getByRole("button", { name: "Make", exact: true }).waitFor({ state: "hidden" });
    await context.close();
  });

  it("show prices of all assets as they change, one of them in a chart, and the messages that bring them", async () => {
    const { page, stream, complaints, context } = await openDesk();
    const prices = await openSide(page, "Prices");
    const coins = { base: "ETH", sol: "SOL", bsc: "BNB", avax: "AVAX" };
    const data = Object.entries(coins).map(([chain, symbol]) => ({
      chain,
      symbol,
      price: "123.45",
      currency: "USD",
      source: "simulated",
      asOf: new Date().toISOString(),
    }));
    stream.send({ type: "update", channel: "prices", time: new Date().toISOString(), heads: {}, data });
    for (const asset of ["ETH", "SOL", "BNB", "AVAX"])
      await prices.getByText(asset, { exact: true }).waitFor();
    await prices.getByText("SOL", { exact: true }).click();
    await prices
      .getByRole("img", { name: /^SOL in USD/ })
      .locator("canvas")
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    const messages = await openSide(page, "Messages");
    await messages.getByLabel("prices").check();
    await messages.getByRole("listitem").filter({ hasText: "123.45" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("sell rewards for points", async () => {
    const reward = {
      id: "r-1",
      type: "badge",
      name: "Early bird",
      description: "A badge",
      cost: 5,
      available: true,
      stock: -1,
      userCanAfford: true,
    };
    let redemptions: object[] = [];
    const { page, stream, complaints, context } = await openDesk({
      async prepare(page) {
        await page.route("**/rewards", (route) => route.fulfill(answered({ rewards: [reward] })));
        await page.route("**/api/v2/redemptions", (route) =>
          route.fulfill(answered({ redemptions, points: 5 })),
        );
        await page.route("**/rewards/r-1/redemptions", (route) => {
          const redemption = { redemptionId: "d-1", name: reward.name, cost: 5, status: "pending" };
          redemptions = [{ ...redemption, createdAt: new Date().toISOString() }];
          return route.fulfill(answered({ redemption }));
        });
      },
    });
    const rewards = await openSide(page, "Rewards");
    await rewards.getByRole("button", { name: "Redeem" }).click();
    await rewards.getByRole("button", { name: "Spend 5 points" }).click();
    await page.getByText("Early bird is ordered").waitFor();
    stream.send({ type: "RewardRedeemed", time: new Date().toISOString(), data: {} });
    const bought = rewards.getByRole("list", { name: "What you have bought" });
    await bought.getByText("pending").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("show a new level at once, with the XP, the streak and the points", async () => {
    let profile = { ...scriptedProfile, xpRemainingForNextLevel: 10 };
    let points = 5;
    const { page, stream, complaints, context } = await openDesk({
      width: 1440,
      height: 900,
      async prepare(page) {
        await page.route("**/getUserData", (route) => route.fulfill(answered(profile)));
        await page.route("**/api/v2/redemptions", (route) =>
          route.fulfill(answered({ redemptions: [], points })),
        );
      },
    });
    await page.getByRole("progressbar", { name: "10 XP to level 2" }).waitFor();
    const rewards = await openSide(page, "Rewards");
    await rewards.getByText("you have 5 points").waitFor();
    const Xp = { total: 1250, daily: 1160, weekly: 1160, monthly: 1160 };
    profile = { ...profile, Level: 4, Xp, xpRemainingForNextLevel: 350, tradeStreakCount: 3 };
    points = 41;
    stream.send({ type: "ProfileUpdated", time: new Date().toISOString(), data: {} });
    await page.getByText("You have reached level 4").waitFor();
    await rewards.getByText("you have 41 points").waitFor();
    await rewards.getByText("1\u00a0250, today 1\u00a0160").waitFor();
    const bar = rewards.getByRole("progressbar", { name: "350 XP to level 5" });
    expect([await bar.getAttribute("value"), await bar.getAttribute("max")]).toEqual(["350", "700"]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("list the user by a public name that the user has chosen, and no longer than wanted", async () => {
    let publicName: string | null = null;
    const asked: (string | null)[] = [];
    const bodies: object[] = [];
    const { page, complaints, context } = await openDesk({
      width: 360,
      height: 740,
      async prepare(page) {
        await page.route("**/api/v2/leaderboard?*", (route) => {
          asked.push(new URL(route.request().url()).searchParams.get("window"));
          const you = { rank: 1, publicName, xp: 1234, Level: 4, isYou: true };
          return route.fulfill(answered({ publicName, entries: publicName === null ? [] : [you] }));
        });
        await page.route("**/api/v2/profile", (route) => {
          const body = route.request().postDataJSON() as { publicName: string | null };
          bodies.push(body);
          publicName = body.publicName;
          return route.fulfill(answered({ profile: { publicName, viewedMessage: false } }));
        });
      },
    });
    await page.getByRole("button", { name: "More" }).click();
    const rewards = await openSide(page, "Rewards");
    await rewards.getByText("Nobody is listed yet").waitFor();
    await rewards.getByText("You are not ranked yet").waitFor();
    await rewards.getByLabel("Public name").focus();
    // Has two units of text for each character.
    const chosen = "🦊".repeat(31);
    await page.keyboard.insertText(` ${chosen} `);
    await page.keyboard.press("Enter");
    const you = rewards.getByRole("list", { name: "Ranked users" }).getByRole("listitem");
    await you
      .filter({ hasText: `${chosen} you level 4` })
      .filter({ hasText: "1\u00a0234 XP" })
      .waitFor();
    await rewards.getByText("Today", { exact: true }).click();
    await expect.poll(() => asked.at(-1)).toBe("daily");
    expect(await sidewaysPixels(page)).toBe(0);
    await rewards.getByRole("button", { name: "Take my name back" }).click();
    await rewards.getByText("Nobody is listed yet").waitFor();
    expect(bodies).toEqual([{ publicName: chosen }, { publicName: null }]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("keep a preset for each chain, and overwrite no newer one", async () => {
    let saved: { preset: object; version: number; warnings: string[] } | undefined;
    let isChanged = false;
    const { page, context } = await openDesk({
      prepare: (page) =>
        page.route("**/presets/*", (route) => {
          const request = route.request();
          if (isChanged) return route.fulfill(refused(412, "PRECONDITION_FAILED", "It has changed"));
          if (request.method() === "PUT")
            saved = { preset: request.postDataJSON() as object, version: 1, warnings: ["NO_DAY_LIMIT"] };
          return route.fulfill(saved ? answered(saved) : refused(404, "NO_PRESET", "There is no preset"));
        }),
    });
    const settings = await openSide(page, "Settings");
    const drawer = settings.getByText("Preset for automatic orders");
    await settings.getByText("BNB Chain", { exact: true }).click();
    await settings.getByText("the gas preset medium with at most 10 gwei").waitFor();
    await drawer.click();
    await settings.getByText("Add a wallet on this chain first").waitFor();
    await settings.getByText("Ethereum", { exact: true }).click();
    await drawer.click();
    const amount = settings.getByLabel("Amount of a buy, ETH");
    await amount.fill("0.05");
    await settings.getByRole("button", { name: "Save the preset" }).click();
    await settings.getByText("spend any amount in a day").waitFor();
    await page.reload();
    await openSide(page, "Settings");
    await drawer.click();
    await expect.poll(() => amount.inputValue()).toBe("0.05");
    isChanged = true;
    await settings.getByRole("button", { name: "Save the preset" }).click();
    await page.getByText("It has changed").waitFor();
    await context.close();
  });

  it("accept a priority fee of one lamport, and keep what is typed during a save", async () => {
    const save = Promise.withResolvers<void>();
    let settings = { slippage: 1, mevProtection: true, autoBuy: false, autoSell: false, priorityFee: 0.001 };
    const { page, context } = await openDesk({
      async prepare(page) {
        await page.route("**/settings/sol", (route) =>
          route.fulfill(answered({ chain: "sol", version: 0, settings })),
        );
        await page.route("**/updateTradingSettings/sol", (route) => {
          settings = { ...settings, ...(route.request().postDataJSON() as Partial<typeof settings>) };
          return save.promise.then(() => route.fulfill(answered(settings)));
        });
      },
    });
    const panel = await openSide(page, "Settings");
    const fee = panel.getByLabel(/^Priority fee/);
    await panel.getByText("Solana", { exact: true }).click();
    await fee.fill("0.000000001");
    await panel.getByRole("button", { name: "Save", exact: true }).click();
    await panel.getByLabel(/^Slippage/).fill("2");
    save.resolve();
    await page.getByText("The settings are saved").waitFor();
    await panel.getByText("version 0").waitFor();
    expect(settings).toMatchObject({ priorityFee: 1e-9, slippage: 1 });
    expect(await fee.inputValue()).toBe("0.000000001");
    expect(await panel.getByLabel(/^Slippage/).inputValue()).toBe("2");
    await panel.getByRole("button", { name: "Discard" }).click();
    await panel.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
    await context.close();
  });

  it("link to explorers of the chains that have one", async () => {
    const { address, mint } = {
      address: "WaLetWaLetWaLetWaLetWaLetWaLetWaLetWaLetWaLe",
      mint: "MintMintMintMintMintMintMintMintMintMintMint",
    };
    const { page, context } = await openDesk({
      query: `?chain=sol&token=${mint}`,
      wallets: [
        { ...walletNumber(0), network: "sol", generatedWalletAddress: address },
        { ...walletNumber(1), network: "base" },
      ],
    });
    await page.locator(`a[href="https://solscan.io/token/${mint}"]`).first().waitFor();
    const wallets = await openSide(page, "Wallets");
    await wallets.locator(`a[href="https://solscan.io/account/${address}"]`).waitFor();
    expect(await wallets.getByRole("link").count()).toBe(1);
    await context.close();
  });
});

describe("the page", () => {
  it("offers to load the user again after a failure", async () => {
    let reads = 0;
    const { page, context } = await openDesk({
      prepare: (page) =>
        page.route("**/getUserData", (route) =>
          ++reads === 1 ? route.fulfill({ status: 403, json: { message: "Forbidden" } }) : route.fallback(),
        ),
    });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("region", { name: "Trade" }).waitFor();
    await context.close();
  });

  it("keeps the theme for the next user of the browser, and loads a newer build on demand", async () => {
    const { page, context } = await openDesk();
    await page.getByRole("button", { name: "Dark" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out here").waitFor();
    await signInByScript(page, "eve");
    await page.reload();
    await page.getByRole("button", { name: "Light" }).waitFor();

    const origin = inject("consoleOrigin");
    let isNewer = true;
    // Keeps the handler, because removing it may leave requests of a loading page unanswered.
    await page.route(`${origin}/console/`, (route) =>
      isNewer ? route.fulfill({ contentType: "text/html", body: '<p id="console">' }) : route.fallback(),
    );
    const news = page.getByText("This page has a newer version.");
    const look = async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      return news.count();
    };
    await expect.poll(look).toBe(1);
    isNewer = false;
    await page.getByRole("button", { name: "Load it now" }).click();
    await news.waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Trade" }).waitFor();
    await context.close();
  });
});
