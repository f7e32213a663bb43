import type { Page } from "playwright-core";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startRandomTrader } from "trading-terminal-devnet/evm/random-trader";
import { describe, expect, it } from "vitest";
import { browserForTests, signIn } from "./support/browser.ts";
import { chainUrl } from "./support/users.ts";

const browser = browserForTests();
const { moon } = localAddresses;

/** Opens the console on bsc. */
async function openMarket(user: string) {
  const visit = await browser.visit("/console/");
  await signIn(visit.page, user);
  await visit.page.getByRole("region", { name: "Trade" }).getByLabel("Chain").selectOption("bsc");
  return visit;
}

const chart = (page: Page) => page.locator(".chart.candles");
const drawn = async (page: Page) => {
  const [bars, last] = await Promise.all(
    ["data-bars", "data-last"].map((name) => chart(page).getAttribute(name)),
  );
  return { bars: Number(bars), last: Number(last) };
};

describe("two browsers with one market", () => {
  it("shows the same live candles in both browsers", async () => {
    // Avoids eth, because other test files request quotes there and need stable prices.
    const bsc = { chain: "bsc", url: await chainUrl("bsc") } as const;
    const visits = await Promise.all(["pia", "quinn"].map((user) => openMarket(user)));
    const trader = startRandomTrader({
      chains: [bsc],
      watched: async () => [{ chain: "bsc", token: moon }],
      onFailure: (error) => expect.unreachable(String(error)),
    });
    const all = () => Promise.all(visits.map(({ page }) => drawn(page)));
    const isSame = ([one, other]: Awaited<ReturnType<typeof all>>) =>
      one !== undefined &&
      other !== undefined &&
      one.bars > 0 &&
      one.bars === other.bars &&
      one.last === other.last;
    // Waits for swaps, because a market without any has no chart.
    await Promise.all(visits.map(({ page }) => chart(page).waitFor()));
    await expect.poll(async () => isSame(await all())).toBe(true);
    const [before] = await all();
    await expect.poll(async () => (await all())[0]?.last).not.toBe(before?.last);
    await trader.stop();
    await expect.poll(async () => isSame(await all())).toBe(true);
    await Promise.all(visits.map(({ context }) => context.close()));
  });
});
