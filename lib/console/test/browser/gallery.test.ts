import { describe, expect, it } from "vitest";
import { brokenRules, visitsForTests } from "../support/browser.ts";
import { pagesForTests } from "../support/page-server.ts";

const visit = visitsForTests();
const originOf = pagesForTests();

describe("the gallery", () => {
  it.each(["light", "dark"] as const)(
    "passes all accessibility checks and loads only local files, in the %s theme",
    async (colorScheme) => {
      const origin = originOf();
      const { page, context, complaints, origins, screenshot } = await visit(`${origin}/gallery/`, {
        colorScheme,
      });
      await page.getByRole("heading", { name: "Components" }).waitFor();
      expect(await brokenRules(page)).toEqual([]);
      const newTokens = page.getByRole("table", { name: "New tokens" });
      const deepest = newTokens.locator("tbody").first();
      expect(await deepest.innerText()).toContain("0xf39F…");
      await newTokens.getByRole("button", { name: "Depth" }).click();
      await expect.poll(() => deepest.innerText()).toContain("0xf39E…");
      for (const width of colorScheme === "light" ? [1440, 360] : [900]) {
        await page.setViewportSize({ width, height: 900 });
        await screenshot(`components-${colorScheme}-${width}`);
      }
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([origin]);
      await context.close();
    },
  );
});
