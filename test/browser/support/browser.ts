import type { Locator, Page } from "playwright-core";
import { inject } from "vitest";
import { type VisitOptions, visitsForTests } from "../../../lib/console/test/support/browser.ts";

/** Connects a file's tests to the browser. All files share it and one local runner. */
export function browserForTests() {
  const runner = inject("runner");
  const visit = visitsForTests();
  return {
    runner,
    /** Opens a page of the runner or another address. Creates a new browser context unless one is given. */
    visit: (path = "/console/", options: VisitOptions = {}) =>
      visit(new URL(path, runner.baseUrl).href, options),
  };
}

/** Presses the banner's button unless the page reconnects by itself first. */
export async function tryNow(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: "Try now" })
    .click({ timeout: 1000 })
    .catch(() => {});
}

/** Opens a part of the page beside the desk. */
export async function openSide(page: Page, name: string): Promise<Locator> {
  await page.getByRole("button", { name, exact: true }).filter({ visible: true }).click();
  return page.getByRole("dialog", { name });
}

/** Shows one of the lists under the chart. */
export const openList = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();

/** Finds the records of a list that is shown. */
export const rowsOf = (page: Page, name: string): Locator =>
  page.getByRole("table", { name }).locator("tbody");

/** Signs in to the console. */
export async function signIn(page: Page, user: string): Promise<void> {
  await page.getByLabel("User").fill(user);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
}
