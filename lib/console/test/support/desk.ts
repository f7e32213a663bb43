import type { Locator, Page } from "playwright-core";

/** Opens a part of the page around the desk. */
export async function openSide(page: Page, name: string): Promise<Locator> {
  await page.getByRole("button", { name, exact: true }).filter({ visible: true }).click();
  return page.getByRole("dialog", { name });
}

/** Shows one of the lists under the chart. */
export const openList = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();

/** Finds the records of a list that is shown. */
export const rowsOf = (page: Page, name: string): Locator =>
  page.getByRole("table", { name }).locator("tbody");

/** True if the element has the focus. */
export const isFocused = (element: Locator): Promise<boolean> =>
  element.evaluate((found) => found === found.ownerDocument.activeElement);

/** Counts the pixels by which the page is wider than its window. */
export const sidewaysPixels = (page: Page): Promise<unknown> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/** Presses the banner's button unless the page reconnects by itself first. */
export async function tryNow(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: "Try now" })
    .click({ timeout: 1000 })
    .catch(() => {});
}
