import { describe, expect, it } from "vitest";
import { browserForTests } from "./support/browser.ts";

const browser = browserForTests();

/** Lists the title's words that are broken across two lines. */
const brokenWords = `(() => {
  const [text] = document.querySelector("h1").childNodes;
  const linesOf = ({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    return range.getClientRects().length;
  };
  return [...text.data.matchAll(/\\w+/g)].filter((found) => linesOf(found) > 1).map(([word]) => word);
})()`;

describe("the reference pages", () => {
  it("shows both documents with the runner's own addresses, and loads nothing from other sites", async () => {
    const { baseUrl, streamUrl } = browser.runner;
    const { page, complaints, origins, screenshot, context } = await browser.visit("/docs/");
    await page.getByRole("link", { name: "REST API" }).click();
    await page.getByText(`export BASE_URL=${baseUrl}`).first().waitFor();
    await page
      .getByText(`-- --port ${new URL(baseUrl).port} --user alice`)
      .first()
      .waitFor();
    await page.getByText("Orders", { exact: true }).first().click();
    await page.getByText("Place an order, or only quote it").first().click();
    await page.getByText('"$BASE_URL/api/v2/orders"').first().waitFor();
    await screenshot("reference-rest", { fullPage: false });
    await page.setViewportSize({ width: 360, height: 900 });
    expect(await page.evaluate(brokenWords)).toEqual([]);

    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${baseUrl}/docs/streams.html`);
    await page.getByText("Duplicates.", { exact: true }).first().waitFor();
    await page.getByText(new URL(streamUrl).host).first().waitFor();
    await screenshot("reference-streams", { fullPage: false });
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([baseUrl]);
    await context.close();
  });
});
