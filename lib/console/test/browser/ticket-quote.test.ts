import { describe, expect, it } from "vitest";
import { openList, openSide, rowsOf, tryNow } from "../support/desk.ts";
import { answered } from "../support/scripted-desk.ts";
import { moon, orderNumber, positionNumber, usdx } from "../support/scripted-service.ts";
import { changeQuotes, ticketsForTests } from "../support/scripted-ticket.ts";

const openTicket = ticketsForTests();

const pool = (venue: string, feeBps: number, tokenIn: string, tokenOut: string) => ({
  venue,
  pool: moon,
  feeBps,
  tokenIn,
  tokenOut,
});

/** More milliseconds than pass between two quotes while the price stays. */
const quotePauseMs = 13_000;

describe("the quote in the ticket", () => {
  it("binds the order to exactly its minimum, and drops the limits of another token", async () => {
    const { page, context, trade, place, sent, ready, refusedWith } = await openTicket();
    const least = "920.085475000000000001";
    await changeQuotes(page, ({ slippage }) => (slippage === 7.5 ? { minAmountOut: least } : {}));
    const limits = trade.getByText("Limits of this order");
    const slippage = trade.getByLabel(/^Slippage/);
    await limits.click();
    await slippage.fill("7.5");
    await trade.getByTitle(`${least} MOON`).waitFor();
    await ready("Buy 0.1 ETH of MOON");
    await place.click();
    await page.getByText("Kept from the service").waitFor();
    expect(sent).toMatchObject([{ body: { minAmountOut: least } }]);
    expect(sent[0]?.body).not.toHaveProperty("slippage");

    await slippage.fill("7,5");
    await refusedWith("Check the slippage");
    await slippage.fill("7.5");
    await limits.getByText("set").waitFor();
    await trade.getByRole("combobox", { name: /^Token/ }).fill(usdx);
    await ready("Buy 0.1 ETH of USDX");
    expect(await slippage.inputValue()).toBe("");
    expect(await limits.getByText("set").count()).toBe(0);
    await context.close();
  });

  it("goes when another token is entered, and no order can be placed before the next one", async () => {
    const { page, context, trade, place, ready } = await openTicket();
    await ready("Buy 0.1 ETH of MOON");
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/api/v2/quotes", async (route) => {
      await held;
      return route.fallback();
    });
    await trade.getByRole("combobox", { name: /^Token/ }).fill(usdx);
    await trade.locator(".quote").getByText("Asking for a quote").waitFor();
    expect(await trade.getByText("You get about").count()).toBe(0);
    expect(await place.isDisabled()).toBe(true);
    release();
    await ready("Buy 0.1 ETH of USDX");
    await context.close();
  });

  it("must be agreed to again if the price moves between quote and click", async () => {
    const { page, context, trade, place, sent, ready } = await openTicket({
      prepare: (page) => page.clock.install(),
    });
    await ready("Buy 0.1 ETH of MOON");
    await changeQuotes(page, () => ({ amountOut: "895.2", minAmountOut: "886.2" }));
    await page.clock.fastForward(quotePauseMs);
    await trade.getByRole("button", { name: "Agree to the new price" }).click();
    expect(sent).toEqual([]);
    await ready("Buy 0.1 ETH of MOON");
    await place.click();
    await page.getByText("Kept from the service").waitFor();
    expect(sent).toMatchObject([{ body: { minAmountOut: "886.2" } }]);
    await context.close();
  });

  it("needs no agreement to a price that the user's own order has made, but to the next move", async () => {
    const order = orderNumber(0, { status: "open", stage: "pending", filledAmount: "0" });
    const { page, context, stream, trade, place, ready } = await openTicket({
      async prepare(page) {
        await page.clock.install();
        await page.route("**/api/v2/orders", (asked) =>
          asked.request().method() === "POST"
            ? asked.fulfill(answered({ order, warnings: [] }))
            : asked.fallback(),
        );
      },
    });
    const update = (version: number, change: object) =>
      stream.send({
        type: "update",
        channel: "orders",
        time: new Date().toISOString(),
        data: [{ ...order, version, ...change }],
      });
    const moveTo = async (amountOut: string) => {
      await changeQuotes(page, () => ({ amountOut, minAmountOut: "800" }));
      await page.clock.fastForward(quotePauseMs);
    };
    const agree = trade.getByRole("button", { name: "Agree to the new price" });
    await ready("Buy 0.1 ETH of MOON");
    await place.click();
    await page.getByText("The buy of MOON is placed").waitFor();
    await moveTo("994");
    await trade.getByText("994 MOON", { exact: true }).waitFor();
    // The market has the trade before the stream shows it.
    await moveTo("895.2");
    await agree.waitFor();
    update(2, { status: "filled", stage: "done", filledAmount: "0.1" });
    await page.getByRole("status").getByText("Bought 994.6 MOON at 0.000100534 ETH").waitFor();
    await ready("Buy 0.1 ETH of MOON");
    await page.clock.fastForward(quotePauseMs);
    await ready("Buy 0.1 ETH of MOON");
    await moveTo("870");
    await agree.waitFor();
    await context.close();
  });

  it("shows coins that have just arrived, all of which can be spent except fees and a reserve", async () => {
    let available = "2";
    const { page, context, trade, ready } = await openTicket({
      async prepare(page) {
        await page.clock.install();
        await changeQuotes(page, ({ amount }) => {
          const needed = amount === "0.1" ? "0.101" : "4.9995";
          const coins = { token: "native", symbol: "ETH", available, needed, enough: true };
          return { balances: [coins], exitReserve: "0.0005" };
        });
      },
    });
    await ready("Buy 0.1 ETH of MOON");
    await trade.getByText("2 ETH to spend", { exact: true }).waitFor();
    available = "5";
    await page.clock.fastForward(quotePauseMs);
    await trade.getByText("5 ETH to spend", { exact: true }).waitFor();
    await trade.getByRole("button", { name: "Max" }).click();
    expect(await trade.getByRole("textbox", { name: /^Amount/ }).inputValue()).toBe("4.9985");
    await ready("Buy 4.9985 ETH of MOON");
    // Selecting a wallet keeps the token.
    const wallets = await openSide(page, "Wallets");
    await wallets.getByRole("button", { name: "Trade" }).click();
    await ready("Buy 0.1 ETH of MOON");
    await context.close();
  });

  it("names the route's pools, the token between them, and warnings, which stay with the order", async () => {
    const route = [pool("uniswap-v2", 30, "native", usdx), pool("uniswap-v3", 5, usdx, moon)];
    const warnings = ["MEV_UNPROTECTED"];
    const order = orderNumber(0, { status: "open", stage: "pending", settled: false });
    const { page, context, stream, trade, place, ready } = await openTicket({
      positions: [positionNumber(0)],
      async prepare(page) {
        await changeQuotes(page, ({ side }) => ({ route, warnings, approval: side === "sell" }));
        await page.route("**/api/v2/orders", (asked) =>
          asked.request().method() === "POST"
            ? asked.fulfill(answered({ order, warnings }))
            : asked.fallback(),
        );
      },
    });
    const way = "uniswap-v2 0.3 % → USDX → uniswap-v3 0.05 %";
    await trade.getByText(way).waitFor();
    await page.getByRole("button", { name: "Sell 50 %" }).click();
    const sale = page.getByRole("region", { name: "Sell 50 % of MOON" });
    await sale.getByText(way).waitFor();
    await sale.getByText("This sale takes two blocks: an approval, then the sale.").waitFor();
    expect(await trade.getByText("two blocks").count()).toBe(0);
    await page.keyboard.press("Escape");
    const shown = trade.getByRole("list", { name: "Warnings about the trade" });
    await shown.getByText("mev unprotected").waitFor();
    await ready("Buy 0.1 ETH of MOON");
    await place.click();
    await page.getByText("The buy of MOON is placed").waitFor();
    stream.send({ type: "update", channel: "orders", time: new Date().toISOString(), data: [order] });
    await openList(page, "Orders");
    const kept = rowsOf(page, "Orders").getByRole("list", { name: "Warnings about the order" });
    await kept.getByText("mev unprotected").waitFor();
    await context.close();
  });
});

describe("the ticket without the service", () => {
  it("shows the age of all data and places no orders while the service is silent or unreachable", async () => {
    let isAway = false;
    const { page, context, stream, trade, ready, refusedWith } = await openTicket({
      async prepare(page) {
        await page.clock.install();
        await page.route(/\/(api\/|getUserData)/, (route) => (isAway ? route.abort() : route.fallback()));
      },
    });
    const age = page.getByText(/^All data is ([5-9]|1\d) s old/);
    await ready("Buy 0.1 ETH of MOON");
    // Loses the network while the connection still looks open.
    stream.hold(true);
    await page.clock.fastForward(6000);
    await age.waitFor();
    await refusedWith("Offline");
    await page.getByRole("status", { name: "Connection" }).getByText("No answer").waitFor();
    stream.hold(false);
    await age.waitFor({ state: "detached" });
    await ready("Buy 0.1 ETH of MOON");

    isAway = true;
    await stream.cut();
    await page.clock.fastForward(6000);
    await page.getByRole("alert").getByText("The service does not answer").waitFor();
    await age.waitFor();
    await refusedWith("Offline");
    const listed = trade.getByRole("group", { name: "Listed tokens" }).getByRole("button");
    await trade.getByLabel("Chain").selectOption("base");
    await listed.first().waitFor({ state: "detached" });
    isAway = false;
    stream.mend();
    await tryNow(page);
    await age.waitFor({ state: "detached" });
    await listed.first().waitFor();
    await trade.getByLabel("Chain").selectOption("eth");
    await ready("Buy 0.1 ETH of MOON");
    await context.close();
  });
});
