import { expect, it } from "vitest";
import { browserForTests, openSide, signIn } from "./support/browser.ts";
import { callAs, userWithCoins } from "./support/users.ts";

const browser = browserForTests();

it("shows a wallet's deposits, limits, history, export and lock on its page", async () => {
  const user = await userWithCoins("wanda", "base");
  const { page, complaints, context, screenshot } = await browser.visit("/console/", { width: 900 });
  await signIn(page, user);
  const wallets = await openSide(page, "Wallets");
  const copy = wallets.getByTitle(/^Copy 0x/);
  const address = (await copy.getAttribute("title"))?.replace("Copy ", "") ?? "";
  await wallets.getByRole("button", { name: "Open" }).click();
  const dialog = page.getByRole("dialog", { name: "Funded" });
  await dialog.getByText(address, { exact: true }).waitFor();
  await dialog.getByRole("img", { name: `QR code of ${address}` }).waitFor();
  await screenshot("wallet-deposit", { fullPage: false });

  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByLabel(/^Most for a buy, ETH/).fill("0.25");
  await dialog.getByRole("button", { name: "Save the limits" }).click();
  await page.getByText("The limits apply now").waitFor();
  const [{ _id }] = (await callAs<{ wallets: [{ _id: string }] }>(user, "/api/v2/wallets")).wallets;
  const { policy } = await callAs<{ policy: object }>(user, `/api/v2/wallets/${_id}/policy`);
  expect(policy).toMatchObject({ maxPerOrder: "0.25" });

  await dialog.getByText("History", { exact: true }).click();
  const events = dialog.getByRole("list", { name: "Events, newest first" }).getByRole("listitem");
  await events.filter({ hasText: "policy changed" }).waitFor();
  expect(await events.last().innerText()).toMatch(/^created/);

  await dialog.getByText("Export", { exact: true }).click();
  await dialog.getByRole("button", { name: "Request the export" }).click();
  await dialog.getByText(/The key can be read from .+ on, in this browser only/).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await wallets.getByRole("button", { name: "Lock exports" }).click();
  await wallets.getByText("Exports are locked").first().waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("shows looser limits and exports as a notice on every page until the user dismisses or undoes them", async () => {
  const user = await userWithCoins("gail", "base");
  const here = await browser.visit("/console/", { width: 900 });
  const there = await browser.visit("/console/", { width: 900, context: here.context });
  await signIn(here.page, user);
  await signIn(there.page, user);
  const wallets = await openSide(here.page, "Wallets");
  const guards = there.page.getByRole("region", { name: "Guards of your wallets" });
  await wallets.getByRole("button", { name: "Open" }).click();
  const dialog = here.page.getByRole("dialog", { name: "Funded" });
  await dialog.getByText("Limits", { exact: true }).click();
  for (const [amount, notice] of [
    ["0.25", "The limits apply now"],
    ["0.5", "Looser limits apply after a day"],
  ] as const) {
    await dialog.getByLabel(/^Most for a buy, ETH/).fill(amount);
    await dialog.getByRole("button", { name: "Save the limits" }).click();
    await here.page.getByText(notice).waitFor();
  }
  const alerts = guards.getByRole("alert");
  const looser = alerts.filter({
    hasText: /^Looser limits for Funded were requested: up to 0\.5 ETH for a buy\. They apply from .+/,
  });
  await looser.waitFor();
  await guards.getByRole("button", { name: "Keep the limits" }).click();
  await looser.waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Save the limits" }).click();
  await looser.waitFor();

  await dialog.getByText("Export", { exact: true }).click();
  await dialog.getByRole("button", { name: "Request the export" }).click();
  await alerts.filter({ hasText: "An export of the private key of Funded was requested." }).waitFor();
  await guards.getByRole("button", { name: /^Dismiss: Looser limits/ }).click();
  await there.page.reload();
  await alerts.filter({ hasText: "An export of the private key of Funded was requested." }).waitFor();
  expect(await alerts.count()).toBe(1);
  await guards.getByRole("button", { name: "Cancel the export" }).click();
  await guards.waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Ask again" }).click();
  await alerts.filter({ hasText: "An export of the private key of Funded was requested." }).waitFor();

  await here.page.keyboard.press("Escape");
  await wallets.getByRole("button", { name: "Lock exports" }).click();
  await guards.waitFor({ state: "detached" });
  await openSide(there.page, "Wallets");
  await there.page.getByText("Exports are locked").waitFor();
  expect([...here.complaints, ...there.complaints]).toEqual([]);
  await here.context.close();
});
