import { describe, expect, it } from "vitest";
import { consoleForTests } from "./support/browser.ts";

const browser = consoleForTests();

/** Redoc shows a mark of its makers, which the page's policy does not load. */
const isMark = (complaint: string) => complaint.includes("logo-mini");

describe("the reference pages", () => {
  it("show both documents, and load nothing from elsewhere", async () => {
    const { page, complaints, origins, screenshot } = await browser.visit("/docs");
    await page.getByRole("link", { name: "REST API" }).click();
    await page.getByRole("heading", { name: "Place an order, or say what it would do" }).waitFor();
    await page.getByText("curl -sw").first().waitFor();
    await screenshot("reference-rest");

    await page.goto(`${browser.runner.baseUrl}/docs/streams.html`);
    await page.getByText("Duplicates.", { exact: true }).waitFor();
    await screenshot("reference-streams");
    expect(complaints.filter((complaint) => !isMark(complaint))).toEqual([]);
    expect([...origins].filter((origin) => !origin.includes("redoc"))).toEqual([browser.runner.baseUrl]);
    await page.context().close();
  });
});
