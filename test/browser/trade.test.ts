import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { localAddresses } from "../../lib/dev/chains/deployment.ts";
import { browserForTests, signIn } from "./support/browser.ts";

const browser = browserForTests();

const panel = (page: Page) => page.getByRole("region", { name: "Trade" });

describe("the trade panel", () => {
  it("shows no quote of another trade, and places nothing before it shows one", async () => {
    const { page, context } = await browser.visit();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/api/v2/quotes", async (route) => {
      if (route.request().postData()?.includes(localAddresses.trap)) await held;
      await route.continue();
    });
    await signIn(page, "alice");
    const trade = panel(page);
    await trade.getByText("You get about").waitFor();
    const place = trade.locator("button[type=submit]");
    expect(await place.isEnabled()).toBe(true);
    await trade.getByRole("combobox", { name: /^Token/ }).fill(localAddresses.trap);
    await trade.getByText("Asking for a quote").waitFor();
    expect(await trade.getByText("You get about").count()).toBe(0);
    expect(await place.isDisabled()).toBe(true);
    await Promise.all([page.waitForResponse("**/api/v2/quotes"), release()]);
    await context.close();
  });
});
