import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { brokenRules } from "../support/browser.ts";
import { isFocused } from "../support/desk.ts";
import { ticketsForTests } from "../support/scripted-ticket.ts";

const openTicket = ticketsForTests();

/** True if all lines of a text are in sight, and nothing covers them. */
const isWhollySeen = (text: Locator) =>
  text.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const seen = [1, height / 2, height - 1].map((y) =>
      element.ownerDocument.elementFromPoint(left + width / 2, top + y),
    );
    return height > 0 && seen.every((one) => one === element);
  });

describe("the ticket on a phone", () => {
  it("places nothing before the single confirmation in a sheet, which says everything about the order, also in large text", async () => {
    const { page, context, trade, place, sent, ready } = await openTicket({ width: 360, height: 740 });
    await ready("Buy 0.1 ETH of MOON");
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    await place.click();
    const sheet = page.getByRole("dialog", { name: "Buy 0.1 ETH of MOON" });
    for (const text of ["At least", "Network fee", "Price impact", "Wallet", "Wallet 1 0x0000…0000"])
      await sheet.getByText(text, { exact: true }).waitFor();
    const confirm = sheet.getByRole("button", { name: "Confirm 0.1 ETH", disabled: false });
    await confirm.waitFor();
    const box = await confirm.boundingBox();
    expect((box?.y ?? 740) + (box?.height ?? 0)).toBeLessThanOrEqual(740);
    expect(await sheet.locator(".place-bar button").count()).toBe(1);
    expect((box?.x ?? 360) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    expect(await brokenRules(page)).toEqual([]);
    expect(sent).toEqual([]);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await expect.poll(() => isFocused(place)).toBe(true);

    await place.press("Enter");
    await confirm.press("Enter");
    await page.getByText("Kept from the service").waitFor();
    await sheet.waitFor({ state: "detached" });
    expect(sent).toMatchObject([{ body: { type: "market", amount: "0.1", minAmountOut: "984.74" } }]);
    await expect.poll(() => isFocused(place)).toBe(true);
    expect(await trade.getByRole("alert").count()).toBe(0);
    await context.close();
  });
});

/** Each type of order, how it is typed, and what it then says and sends. */
const types = [
  {
    tab: "Limit",
    fields: { "Price, ETH": "0.00009" },
    says: /^Buys MOON for 0\.1 ETH as soon as the price falls to 0\.00009 ETH \(14.21 % below the market price\)/,
    button: "Buy 0.1 ETH of MOON at 0.00009",
    body: { type: "limit", side: "buy", price: "0.00009", amount: "0.1", expiresInSeconds: 2_592_000 },
  },
  {
    tab: "Stop",
    fields: { "Stop price, ETH": "0.00008" },
    says: /^Sells all of your MOON, [\d\s.]+, as soon as the price falls to 0\.00008 ETH/,
    button: "Sell all MOON at 0.00008",
    body: { type: "stop", side: "sell", stopPrice: "0.00008", percent: 100 },
  },
  {
    tab: "Pair",
    fields: { "Take profit, ETH": "0.0002", "Stop price, ETH": "0.00008" },
    says: /rises to 0\.0002 ETH .* or falls to 0\.00008 ETH .*, whichever comes first within 30 days\.$/,
    button: "Sell all MOON at 0.0002 or 0.00008",
    body: { type: "oco", takeProfit: { price: "0.0002" }, stopLoss: { stopPrice: "0.00008" } },
  },
  {
    tab: "Trailing",
    fields: { "Distance below the top, %": "12.5" },
    says: /has fallen 12\.5 % below its highest from now on, at first 0\.0000875 ETH/,
    button: "Sell all MOON 12.5 % below the top",
    body: { type: "trailing_stop", trailPercent: 12.5, price: "0.000072" },
  },
  {
    tab: "Slices",
    fields: { Parts: "10", "Minutes between two parts": "6" },
    says: /in 10 parts of [\d\s.]+ MOON, one every 6 minutes, the first now and the last in 54 minutes/,
    button: "Sell all MOON in 10 parts",
    body: { type: "twap", slices: 10, intervalSeconds: 360, price: "0.000072" },
  },
] as const;

describe("the types of orders", () => {
  it("say what each will do, and send exactly that", async () => {
    const size = { width: 1440, height: 900 };
    const { context, trade, place, sent, sentence, ready, complaints } = await openTicket(size);
    await ready("Buy 0.1 ETH of MOON");
    for (const { tab, fields, says, button, body } of types) {
      if (body.type === "twap") await trade.getByText("Sell", { exact: true }).click();
      await trade.getByText(tab, { exact: true }).click();
      for (const [label, text] of Object.entries(fields))
        await trade.getByLabel(label, { exact: true }).fill(text);
      await ready(button);
      expect(await sentence.innerText()).toMatch(says);
      expect(await isWhollySeen(sentence), tab).toBe(true);
      sent.length = 0;
      await place.click();
      await expect.poll(() => sent.length).toBe(1);
      expect(sent[0]?.body).toMatchObject(body);
      expect(sent[0]?.body).not.toHaveProperty("minAmountOut");
    }
    expect(complaints.filter((text) => !/status of 409/.test(text))).toEqual([]);
    await context.close();
  });

  it("are sent at most once even if the answer is lost and the page reloads", async () => {
    const { page, context, trade, place, sent, lose, ready, refusedWith } = await openTicket();
    await ready("Buy 0.1 ETH of MOON");
    await trade.getByText("Limit", { exact: true }).click();
    await trade.getByLabel("Price, ETH", { exact: true }).fill("0.00009");
    await ready("Buy 0.1 ETH of MOON at 0.00009");
    lose(true);
    await place.click();
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    await page.reload();
    lose(false);
    await trade.getByText("was not answered, and may have been placed").waitFor();
    await refusedWith("An order was not answered");
    await trade.getByRole("button", { name: "Send it again" }).click();
    await trade.getByText("was not answered").waitFor({ state: "detached" });
    expect(new Set(sent.map((each) => JSON.stringify(each))).size).toBe(1);
    await context.close();
  });

  it("take prices from chips, and show what is wrong at the field, where a press of the button leads", async () => {
    const { context, page, trade, place, ready, refusedWith, sent } = await openTicket();
    await ready("Buy 0.1 ETH of MOON");
    await trade.getByText("Limit", { exact: true }).click();
    await refusedWith("Enter a price");
    await trade.getByRole("toolbar", { name: "Price by the market price" }).getByText("−10 %").click();
    const price = trade.getByLabel("Price, ETH");
    expect(await price.inputValue()).toBe("0.0000944136");
    await ready("Buy 0.1 ETH of MOON at 0.0000944136");
    await price.fill("0,5");
    await trade.getByText("Write a price above 0 with a point, such as 0.5.").waitFor();
    expect(await price.getAttribute("aria-invalid")).toBe("true");
    const problem = page.locator(`[id="${await price.getAttribute("aria-describedby")}"]`);
    expect(await problem.innerText()).toContain("Write a price above 0");
    await refusedWith("Check the price");
    await place.press("Enter");
    expect(await isFocused(price)).toBe(true);
    await price.press("Enter");
    expect(sent).toEqual([]);
    expect(await brokenRules(page)).toEqual([]);
    await context.close();
  });
});

describe("the exits and presets of a buy", () => {
  it("add up, go with the order, and are kept in this browser under a name", async () => {
    const { page, context, trade, place, sent, sentence, ready, refusedWith } = await openTicket();
    await ready("Buy 0.1 ETH of MOON");
    await trade.getByText("Exits of this buy").click();
    await trade.getByRole("button", { name: "Add an exit" }).click();
    const first = trade.getByRole("group", { name: "Exit 1" });
    await first.getByLabel("Sells, %").fill("120");
    await trade.getByText("The parts add up to 120 %. All of them may be at most 100 %.").waitFor();
    await refusedWith("Check the exits");
    await first.getByLabel("Sells, %").fill("50");
    await ready("Buy 0.1 ETH of MOON");
    expect(await sentence.innerText()).toMatch(
      / Then sells 50 % of it 100 % above the price paid or 30 % below the price paid, and keeps 50 %\.$/,
    );

    await trade.getByText("My presets", { exact: true }).click();
    await trade.getByLabel("Name of a new one").fill("half");
    await trade.getByRole("button", { name: "Save", exact: true }).click();
    await page.reload();
    const mine = trade.getByRole("toolbar", { name: "My presets" });
    await trade.getByRole("textbox", { name: /^Amount/ }).fill("0.7");
    await mine.getByRole("button", { name: "half: buy 0.1" }).click();
    await ready("Buy 0.1 ETH of MOON");
    await place.click();
    await expect.poll(() => sent.length).toBe(1);
    expect(sent[0]?.body).toMatchObject({
      type: "market",
      amount: "0.1",
      exits: [{ percent: 50, takeProfit: { percent: 100 }, stopLoss: { percent: -30 } }],
    });

    await trade.getByText("My presets", { exact: true }).click();
    await trade.getByLabel("Name of half").fill("part");
    await trade.getByLabel("Name of half").press("Tab");
    await mine.getByRole("button", { name: "part: buy 0.1" }).waitFor();
    await trade.getByRole("button", { name: "Delete part" }).click();
    await mine.waitFor({ state: "detached" });
    await context.close();
  });
});

describe("the ticket with odd data", () => {
  it("says how to fund an empty wallet, looks again, and asks for no more quotes", async () => {
    const { context, page, trade, refusedWith } = await openTicket({
      balance: "0",
      prepare: (page) => page.clock.install(),
    });
    await trade.getByText(/^The wallet has no ETH to spend\. Send some to its address on Ethereum/).waitFor();
    await refusedWith("No ETH to spend");
    await trade.getByText("Sell", { exact: true }).click();
    await trade.getByText(/^The wallet has none of this token to sell/).waitFor();
    let quotes = 0;
    page.on("request", (request) => void (request.url().endsWith("/quotes") && quotes++));
    const looks = page.waitForRequest(/\/balances\?/);
    await page.clock.fastForward(4000);
    await looks;
    expect(quotes).toBe(0);
    await context.close();
  });
});
