import { describe, expect, it } from "vitest";
import { browserForTests } from "./support/browser.ts";

const browser = browserForTests();

/** Recognizes Redoc's logo, which the page's policy blocks. */
const isMark = (text: string) => text.includes("cdn.redoc.ly");

describe("the reference pages", () => {
  it("show both documents, and load nothing from other sites", async () => {
    const { page, complaints, origins, screenshot, context } = await browser.visit("/docs/");
    await page.getByRole("link", { name: "REST API" }).click();
    await page.getByText("Orders", { exact: true }).first().click();
    await page.getByText("Place an order, or only quote it").first().click();
    await page.getByText('"$BASE_URL/api/v2/orders"').first().waitFor();
    await screenshot("reference-rest", { fullPage: false });

    await page.goto(`${browser.runner.baseUrl}/docs/streams.html`);
    await page.getByText("Duplicates.", { exact: true }).first().waitFor();
    await screenshot("reference-streams", { fullPage: false });
    expect(complaints.filter((text) => !isMark(text))).toEqual([]);
    expect([...origins].filter((origin) => !isMark(origin))).toEqual([browser.runner.baseUrl]);
    await context.close();
  });
});
