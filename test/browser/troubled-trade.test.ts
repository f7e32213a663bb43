import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page, Request, Route, WebSocketRoute } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { answerSignIn, browserForTests, endedSignIn, openList, rowsOf, signIn } from "./support/browser.ts";
import { callAs, userWithCoins } from "./support/users.ts";

const browser = browserForTests();

const isOrder = (request: Request) => request.method() === "POST" && request.url().endsWith("/orders");

/** Requests of the steps of a trade, in order. */
const requests = {
  inspection: (request: Request) => request.url().includes(`/tokens/avax/${localAddresses.star}`),
  quote: (request: Request) => request.url().endsWith("/quotes"),
  buy: isOrder,
  sale: isOrder,
};
type Step = keyof typeof requests;

type Trouble = {
  /** Causes trouble with the first request of a step. */
  meet: (route: Route, step: Step) => Promise<void>;
  /** True while all requests fail. */
  isAway?: () => boolean;
};

/** Trades on a page while the given steps meet trouble once each. */
async function tradeWith(page: Page, troubled: readonly Step[], { meet, isAway }: Trouble): Promise<void> {
  const met: Step[] = [];
  let coming: Step | undefined;
  await page.route(/\/(api|getUserData)/, async (route) => {
    if (isAway?.()) return route.abort("connectionrefused");
    if (coming === undefined || !requests[coming](route.request())) return route.continue();
    const step = coming;
    coming = undefined;
    met.push(step);
    await meet(route, step);
  });
  const begin = (step: Step) => {
    coming = troubled.includes(step) ? step : undefined;
  };
  const trade = page.getByRole("region", { name: "Trade" });
  const buy = (amount: string) =>
    page.getByRole("button", { name: `Buy ${amount} AVAX of STAR`, disabled: false });
  const orders = rowsOf(page, "Orders");
  const position = rowsOf(page, "Positions");
  const sell = page
    .getByRole("region", { name: "Sell 50 % of STAR" })
    .getByRole("button", { name: "Sell 50 %", disabled: false });

  async function place(step: Step, button: Locator, side: string): Promise<void> {
    begin(step);
    await button.click();
    await openList(page, "Orders");
    await orders
      .filter({ hasText: side })
      .getByText(/filled/)
      .waitFor();
  }

  await trade.getByLabel("Chain").selectOption("avax");
  begin("inspection");
  await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.star);
  await trade.getByText("can be sold").waitFor();
  await buy("0.1").waitFor();
  begin("quote");
  await trade.getByRole("textbox", { name: /^Amount/ }).fill("0.2");
  await buy("0.2").waitFor();
  await place("buy", buy("0.2"), "buy");
  await openList(page, "Positions");
  await position.getByRole("button", { name: "Sell 50 %" }).click();
  await sell.waitFor();
  await place("sale", sell, "sell");
  expect(met).toEqual(troubled);
}

/** Checks that the service has filled each of the user's orders exactly once. */
async function expectTwoOrders(user: string) {
  const { orders } = await callAs<{ orders: { side: string; status: string }[] }>(user, "/api/v2/orders");
  expect(orders.map(({ side, status }) => ({ side, status }))).toEqual([
    { side: "sell", status: "filled" },
    { side: "buy", status: "filled" },
  ]);
}

/**
 * Opens the desk of a user on avax, where no other test moves prices.
 *
 * @param prepare Prepares the page before it is opened.
 */
async function openDesk(user: string, prepare: (page: Page) => Promise<unknown> = async () => {}) {
  const { page, context } = await browser.visit("about:blank");
  await prepare(page);
  await page.goto(new URL("/console/", browser.runner.baseUrl).href);
  await signIn(page, await userWithCoins(user, "avax"));
  return { page, context };
}

/** Milliseconds in which the page tries again after each failure, however many there were. */
const longestPauseMs = 8000;

describe("the console during failures", () => {
  it("trades once even if the service fails during a step, before or after placing the order", async () => {
    const user = "sees-deaths";
    let isAway = false;
    let socket: WebSocketRoute | undefined;
    const { page, context } = await openDesk(user, async (opened) => {
      await opened.clock.install();
      await opened.routeWebSocket("**/stream", (route) => {
        if (isAway) return void route.close({ code: 1011 });
        socket = route;
        route.connectToServer();
      });
    });
    const returns: Promise<void>[] = [];
    async function comeBack(): Promise<void> {
      await pause(500);
      isAway = false;
      // Ends the pauses of the page, which would take seconds.
      await page.clock.fastForward(longestPauseMs);
    }
    await tradeWith(page, ["quote", "buy", "sale"], {
      isAway: () => isAway,
      async meet(route, step) {
        if (step === "sale") await route.fetch();
        isAway = true;
        await socket?.close({ code: 1011 });
        await route.abort("connectionreset");
        returns.push(comeBack());
      },
    });
    await Promise.all(returns);
    await expectTwoOrders(user);
    await context.close();
  });

  it("continues a trade after the session ends during a step", async () => {
    const user = "signs-in-again";
    const { page, context } = await openDesk(user);
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await page.addLocatorHandler(dialog, () => answerSignIn(page, user));
    await tradeWith(page, ["inspection", "buy"], {
      async meet(route) {
        const ended = await endedSignIn(page, user);
        await route.continue(ended(route.request()));
      },
    });
    await expectTwoOrders(user);
    await context.close();
  });

  it("places an order once if its response is lost or its button is clicked twice", async () => {
    const user = "loses-answers";
    const { page, context } = await openDesk(user);
    const keys: (string | undefined)[] = [];
    let losing: { isPlaced: boolean; lost: PromiseWithResolvers<void> } | undefined;
    // Keeps this handler for the whole test, because removing it may leave requests of a loading page unanswered.
    await page.route(/\/orders$/, async (route) => {
      if (losing === undefined || !isOrder(route.request())) return route.continue();
      keys.push(route.request().headers()["idempotency-key"]);
      const { isPlaced, lost } = losing;
      losing.isPlaced = false;
      const answer = isPlaced ? await route.fetch() : undefined;
      if (answer?.ok() === false) {
        // Loses no answer that places nothing, such as that of a busy machine: the page then asks again by itself.
        losing.isPlaced = true;
        return route.fulfill({ response: answer });
      }
      await route.abort("connectionreset");
      lost.resolve();
    });
    const loseAnswer = async (isPlaced: boolean) => {
      losing = { isPlaced, lost: Promise.withResolvers<void>() };
      await page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false }).click();
      await losing.lost.promise;
      await page.reload();
      losing = undefined;
    };
    const trade = page.getByRole("region", { name: "Trade" });
    await trade.getByLabel("Chain").selectOption("avax");
    await loseAnswer(true);
    await page.getByText("The buy of MOON had been placed").waitFor();

    await loseAnswer(false);
    await trade.getByText("The buy of MOON was not answered").waitFor();
    await trade.getByRole("button", { name: "An order was not answered", disabled: true }).waitFor();
    const again = page.waitForRequest(isOrder);
    await trade.getByRole("button", { name: "Send it again" }).click();
    expect((await again).headers()["idempotency-key"]).toBe(keys.at(-1));
    await page.getByText("The buy of MOON is placed").waitFor();
    await trade.getByText("was not answered").waitFor({ state: "detached" });

    let sent = 0;
    page.on("request", (request) => void (isOrder(request) && sent++));
    const buy = page.getByRole("button", { name: /^Buy .* of MOON$/, disabled: false });
    await buy.click();
    await buy.waitFor();
    // Sends the second click of a slow double click.
    await buy.dispatchEvent("click", { detail: 2 });
    await page.waitForTimeout(300);
    expect(sent).toBe(1);
    const { orders } = await callAs<{ orders: unknown[] }>(user, "/api/v2/orders");
    expect(orders).toHaveLength(3);
    await context.close();
  });
});
