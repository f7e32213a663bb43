import { describe, expect, it } from "vitest";
import { isFocused } from "../support/desk.ts";
import { answered } from "../support/scripted-desk.ts";
import { moon, usdx, walletNumber } from "../support/scripted-service.ts";
import { changeQuotes, ticketsForTests } from "../support/scripted-ticket.ts";

const openTicket = ticketsForTests();

const mint = "MintMintMintMintMintMintMintMintMintMintMint";

describe("the token of a trade", () => {
  it("is bought only after its name is typed if it cannot be sold, as is each further one", async () => {
    const refusal = {
      code: "TOKEN_UNSAFE",
      message: "The token cannot be sold. To buy it anyway, set allowUnsafe",
    };
    const { page, context, trade, place, sent, ready, refusedWith } = await openTicket({
      async prepare(page) {
        await page.route(`**/api/v2/tokens/eth/${usdx}`, (route) => {
          const known = { chain: "eth", token: usdx, symbol: "USDX", name: "USDX", decimals: 6, pools: [] };
          const taxes = { sellable: false, buyTax: 1, sellTax: 1, flags: ["TAXED", "FROZEN_BY_DEFAULT"] };
          return route.fulfill(answered({ token: { ...known, ...taxes } }));
        });
        await changeQuotes(page, ({ token, allowUnsafe }) =>
          token === usdx && allowUnsafe !== true ? { wouldBeRefused: refusal } : {},
        );
      },
    });
    const token = trade.getByRole("combobox", { name: /^Token/ });
    await ready("Buy 0.1 ETH of MOON");
    await token.fill(usdx);
    await refusedWith("Cannot buy USDX");
    await trade.getByText("cannot be sold", { exact: true }).waitFor();
    await trade.getByText("Tax 1 % in, 1 % out").waitFor();
    const flags = trade.getByRole("list", { name: "Warnings about the token" });
    for (const text of ["taxed", "frozen by default"]) await flags.getByText(text).waitFor();
    const confirmation = trade.getByLabel(/^To buy it anyway, type USDX/);
    await confirmation.fill("USD");
    await refusedWith("Cannot buy USDX");
    await confirmation.fill("USDX");
    await ready("Buy 0.1 ETH of USDX");
    await place.click();
    await page.getByText("Kept from the service").waitFor();
    expect(sent).toMatchObject([{ body: { allowUnsafe: true, token: usdx } }]);
    // Scams may copy symbols, so each token needs its own confirmation.
    await token.fill(moon);
    await ready("Buy 0.1 ETH of MOON");
    await token.fill(usdx);
    await refusedWith("Cannot buy USDX");
    await context.close();
  });

  it("stays as typed before the token list loads, and comes from the list of its own chain", async () => {
    const [base, bsc, avax] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    const held = { base, bsc, avax } as Record<"base" | "bsc" | "avax", PromiseWithResolvers<void>>;
    const late = Promise.withResolvers<void>();
    const { page, context, trade } = await openTicket({
      prepare: (page) =>
        page.route("**/api/v2/tokens?**", async (route) => {
          const url = route.request().url();
          if (url.includes("chain=base")) await held.base.promise;
          if (url.includes("chain=avax")) await held.avax.promise;
          if (!url.includes("chain=bsc")) return route.fallback();
          await held.bsc.promise;
          // Fails if the page has cancelled the request.
          await route.fulfill(answered({ tokens: [{ token: usdx, symbol: "LATE" }] })).catch(() => {});
          late.resolve();
        }),
    });
    const token = trade.getByRole("combobox", { name: /^Token/ });
    const listed = trade.getByRole("group", { name: "Listed tokens" }).getByRole("button");
    await listed.first().waitFor();

    await trade.getByLabel("Chain").selectOption("base");
    expect(await token.inputValue()).toBe("");
    await token.fill(usdx);
    held.base.resolve();
    await listed.first().waitFor();
    expect(await token.getAttribute("title")).toBe(usdx);

    await trade.getByLabel("Chain").selectOption("bsc");
    await trade.getByLabel("Chain").selectOption("eth");
    await listed.first().waitFor();
    held.bsc.resolve();
    await late.promise;
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await listed.allTextContents()).not.toContain("LATE");
    expect(await token.getAttribute("title")).not.toBe(usdx);

    // The list must not fill in its first token while the field has the focus, or pasted text would mix with it.
    await trade.getByLabel("Chain").selectOption("avax");
    await token.focus();
    held.avax.resolve();
    await listed.first().waitFor();
    expect(await token.inputValue()).toBe("");
    const options = page.getByRole("listbox", { name: "Found tokens" }).getByRole("option");
    await options.first().waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => token.inputValue()).toBe(await listed.first().textContent());
    expect(await options.count()).toBe(0);
    await context.close();
  });

  it("can be pasted even if the token list never loads, but must be on the chain", async () => {
    const { context, trade, ready } = await openTicket({
      prepare: (page) => page.route("**/api/v2/tokens?chain=**", () => {}),
    });
    const token = trade.getByRole("combobox", { name: /^Token/ });
    await token.fill(moon);
    await ready("Buy 0.1 ETH of MOON");
    await token.fill(mint);
    await trade.getByText("This is not an address of a token on Ethereum.").waitFor();
    expect(await trade.getByText("Asking for a quote").count()).toBe(0);
    await context.close();
  });

  it("stays in chart and ticket while another is typed, until one is picked", async () => {
    const { page, context, trade, ready } = await openTicket();
    const field = trade.getByRole("combobox", { name: /^Token/ });
    const chart = page.getByRole("region", { name: "MOON" }).locator(".chart canvas").first();
    const leave = {
      escape: () => page.keyboard.press("Escape"),
      tab: () => page.keyboard.press("Tab"),
    };
    for (const typed of ["x", "usdx", ""])
      for (const [way, act] of Object.entries(leave)) {
        await ready("Buy 0.1 ETH of MOON");
        await field.fill(typed);
        expect(await field.inputValue()).toBe(typed);
        expect(await field.getAttribute("aria-expanded")).toBe(String(typed === "usdx"));
        await ready("Buy 0.1 ETH of MOON");
        expect(await chart.isVisible()).toBe(true);
        await act();
        await expect.poll(() => field.inputValue(), { message: `${way} ${typed}` }).toBe("MOON");
        expect(await field.getAttribute("title")).toBe(moon);
        expect(await field.getAttribute("aria-expanded")).toBe("false");
        expect(await isFocused(field)).toBe(way === "escape");
      }
    await context.close();
  });

  it("is found by name, with a warning of imitations, and picked by keyboard without buying", async () => {
    const wallets = ["eth", "base"].map((network, index) => ({ ...walletNumber(index), network }));
    const { page, context, trade, sent, ready } = await openTicket({
      wallets,
      prepare: (page) =>
        page.route("**/api/v2/tokens?query=**", (route) => {
          const isKnown = route.request().url().endsWith("query=moon");
          const one = { chain: "base", token: usdx, symbol: "M00N", name: "Moon 🌕", decimals: 18 };
          const tokens = [
            { ...one, listed: false, flags: ["IMPERSONATES"] },
            { ...one, token: moon, symbol: "MOON", listed: true },
          ];
          return route.fulfill(answered({ tokens: isKnown ? tokens : [] }));
        }),
    });
    const field = trade.getByRole("combobox", { name: /^Token/ });
    await ready("Buy 0.1 ETH of MOON");
    await page.locator("body").press("/");
    await page.keyboard.type("moon");
    const found = page.getByRole("listbox", { name: "Found tokens" }).getByRole("option");
    await found.filter({ hasText: "imitates the name of a listed token" }).waitFor();
    // The first press marks the first result.
    for (let press = 0; press < 2; press++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("MOON");
    expect(await field.getAttribute("title")).toBe(moon);
    expect(await trade.getByLabel("Chain").inputValue()).toBe("base");
    await ready("Buy 0.1 ETH of MOON");
    // The amount has the focus, and leaves letters to the shortcuts.
    await page.keyboard.press("b");
    await page.keyboard.type("0.2");
    await ready("Buy 0.2 ETH of MOON");
    await page.keyboard.press("Enter");
    await page.keyboard.press("/");
    await page.keyboard.type("no such token");
    await page.getByText("No token known here has this name.").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New tokens" }).waitFor();
    await expect.poll(() => field.inputValue()).toBe("MOON");
    expect(sent).toEqual([]);
    await context.close();
  });
});

describe("a token that was opened by its address", () => {
  it("is found by its name at once, after a reload too, and its address is pasted by a button", async () => {
    const star = `0x${"5".repeat(40)}`;
    const inspected = { chain: "eth", token: star, symbol: "STAR", name: "Orbit", sellable: true, pools: [] };
    const { page, context, trade, ready } = await openTicket({
      query: `?chain=eth&token=${moon}&interval=1m`,
      async prepare(page) {
        await page.route(`**/api/v2/tokens/eth/${star}`, (route) =>
          route.fulfill(
            answered({ token: { ...inspected, buyTax: 0, sellTax: 0, flags: ["IMPERSONATES"] } }),
          ),
        );
        await page.route("**/api/v2/tokens?query=**", (route) =>
          route.request().url().endsWith("query=lost") ? route.fulfill(answered({ tokens: [] })) : undefined,
        );
      },
    });
    const field = trade.getByRole("combobox", { name: /^Token/ });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(`navigator.clipboard.writeText("${star}")`);
    await field.fill("lost");
    await page.getByRole("button", { name: "Paste its address" }).click();
    await ready("Buy 0.1 ETH of STAR");
    await page.goto(page.url().replace(star, moon));
    await ready("Buy 0.1 ETH of MOON");
    await field.fill("orbi");
    const option = page.getByRole("listbox", { name: "Found tokens" }).getByRole("option");
    await option.filter({ hasText: "imitates the name of a listed token" }).waitFor();
    await page.getByText("Searching …").waitFor();
    await page.keyboard.press("Enter");
    await ready("Buy 0.1 ETH of STAR");
    await context.close();
  });
});

describe("the ticket by keyboard", () => {
  it("switches sides by shortcut, keeps a typed amount and places no order on Enter in a field", async () => {
    const { page, context, trade, place, sent, ready } = await openTicket();
    const amount = trade.getByRole("textbox", { name: /^Amount/ });
    await trade.getByText("Limits of this order").click();
    await ready("Buy 0.1 ETH of MOON");
    for (const field of [
      amount,
      trade.getByLabel(/^Slippage/),
      trade.getByRole("combobox", { name: /^Token/ }),
      trade.getByLabel("Wallet"),
    ]) {
      await field.focus();
      await page.keyboard.press("Enter");
    }
    await ready("Buy 0.1 ETH of MOON");
    expect(sent).toEqual([]);
    await place.press("Enter");
    await page.getByText("Kept from the service").waitFor();
    expect(sent).toHaveLength(1);
    expect(await isFocused(place)).toBe(true);
    const isOn = (side: string) => trade.getByRole("radio", { name: side, exact: true }).isChecked();
    await trade.getByText("Sell", { exact: true }).click();
    // Closes the limits.
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    await expect.poll(() => isOn("Buy")).toBe(true);
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
    expect(await amount.inputValue()).toBe("0.3");
    await page.keyboard.press("s");
    await page.keyboard.type("25");
    await ready("Sell 25 % of MOON");
    expect(await isOn("Sell")).toBe(true);
    await context.close();
  });
});
