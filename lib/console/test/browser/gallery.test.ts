import { describe, expect, inject, it } from "vitest";
import { brokenRules, themeRules, visitsForTests } from "../support/browser.ts";
import { sidewaysPixels } from "../support/desk.ts";

const visit = visitsForTests();

describe("the gallery", () => {
  it("breaks no accessibility rule in either theme, is as wide as its window, and loads only local files", async () => {
    const origin = inject("consoleOrigin");
    const { page, context, complaints, origins, screenshot } = await visit(`${origin}/gallery/`);
    await page.getByRole("heading", { name: "Components" }).waitFor();
    expect(await brokenRules(page)).toEqual([]);
    const newTokens = page.getByRole("table", { name: "New tokens" });
    const deepest = newTokens.locator("tbody").first();
    expect(await deepest.innerText()).toContain("0xf39F…");
    await newTokens.getByRole("button", { name: "Depth" }).click();
    await expect.poll(() => deepest.innerText()).toContain("0xf39E…");
    const widthOf = async (plot: string) =>
      (await page.getByRole("img", { name: plot }).boundingBox())?.width ?? 0;
    expect(await widthOf("Net profit of one day")).toBeLessThan(60);
    expect(await widthOf("Net profit by day")).toBeGreaterThan(600);
    for (const width of [1440, 900, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await sidewaysPixels(page), `${width} pixels`).toBe(0);
      await screenshot(`components-light-${width}`);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 900, height: 900 });
    expect(await brokenRules(page, themeRules)).toEqual([]);
    await screenshot("components-dark-900");
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([origin]);
    await context.close();
  });
});
