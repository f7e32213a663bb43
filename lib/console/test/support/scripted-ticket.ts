import type { Locator, Page } from "playwright-core";
import { answered, type DeskOptions, desksForTests, refused, type ScriptedDesk } from "./scripted-desk.ts";
import { quoteFor } from "./scripted-service.ts";

type Body = Record<string, unknown>;

type TicketOptions = DeskOptions & {
  /** What the wallet has of each token. */
  balance?: string;
};

type ScriptedTicket = ScriptedDesk & {
  trade: Locator;
  /** The button that places the order. */
  place: Locator;
  /** Orders that the page has sent. */
  sent: { key: string | undefined; body: Body }[];
  /** Loses the answers to orders, or refuses them again. */
  lose: (isLost: boolean) => void;
  sentence: Locator;
  /** Waits for a button that can be pressed. */
  ready: (name: string | RegExp) => Promise<void>;
  /** Waits for a button that cannot be pressed, and says why. */
  refusedWith: (name: string) => Promise<void>;
};

/** Changes the answers to all further quotes. */
export const changeQuotes = (page: Page, change: (body: Body) => object): Promise<unknown> =>
  page.route("**/api/v2/quotes", (route) => {
    const body = route.request().postDataJSON() as Body;
    return route.fulfill(answered({ quote: { ...quoteFor(body), ...change(body) } }));
  });

const isOrders = (url: URL) => url.pathname === "/api/v2/orders";
const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString();
const resting = {
  price: "0.0001",
  distancePercent: 10,
  wouldFireNow: false,
  worst: "0.000072",
  expiresAt: inAMonth,
  maxNetworkFee: "0.01",
};

/**
 * Connects the tests of a file to the ticket with a scripted service.
 *
 * @returns a function that opens it. Trials of orders are answered; the orders themselves end in the test, refused.
 */
export function ticketsForTests(): (options?: TicketOptions) => Promise<ScriptedTicket> {
  const openDesk = desksForTests();
  return async ({ balance, prepare, ...options } = {}) => {
    const sent: ScriptedTicket["sent"] = [];
    let isLost = false;
    const desk = await openDesk({
      ...options,
      async prepare(page) {
        await page.route(/\/balances\?/, (route) => {
          const token = new URL(route.request().url()).searchParams.get("token") ?? "";
          const coin = { token: "native", symbol: "ETH", available: balance ?? "2" };
          const rest = { token, symbol: "MOON", available: balance ?? "2409" };
          return route.fulfill(answered({ balances: [coin, rest] }));
        });
        await page.route(isOrders, async (route) => {
          const request = route.request();
          if (request.method() !== "POST") return route.fallback();
          const body = request.postDataJSON() as Body;
          if (body.dryRun === true) {
            const trial = { dryRun: true, quote: quoteFor(body), ...(body.type !== "market" && { resting }) };
            return route.fulfill(answered(trial));
          }
          sent.push({ key: request.headers()["idempotency-key"], body });
          if (isLost) return route.abort("connectionreset");
          return route.fulfill(refused(409, "INSUFFICIENT_BALANCE", "Kept from the service"));
        });
        await prepare?.(page);
      },
    });
    const trade = desk.page.getByRole("region", { name: "Trade" });
    const button = (name: string | RegExp, disabled: boolean) =>
      trade
        .getByRole("button", { name, disabled, exact: typeof name === "string" })
        .first()
        .waitFor();
    return {
      ...desk,
      trade,
      place: trade.locator("form .place-bar button"),
      sent,
      lose(next) {
        isLost = next;
      },
      sentence: trade.locator("form .sentence"),
      ready: (name) => button(name, false),
      refusedWith: (name) => button(name, true),
    };
  };
}
