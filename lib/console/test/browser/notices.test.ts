import type { BrowserContext, CDPSession, Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { brokenRules } from "../support/browser.ts";
import { openSide, sidewaysPixels } from "../support/desk.ts";
import { answered, type DeskOptions, desksForTests, refused } from "../support/scripted-desk.ts";
import { webhook } from "../support/scripted-service.ts";

const openDesk = desksForTests();

const pushKey = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM";
const endpoint = "https://push.example/1";
const browserDevice = {
  ...webhook,
  deviceId: "B".repeat(26),
  type: "push",
  name: "Phone",
  host: "push.example",
  wants: { fills: false, rejections: true, resting: false },
};

type Answer = Parameters<Parameters<Parameters<Page["route"]>[1]>[0]["fulfill"]>[0];

/** Opens the notices of a user who has some devices, with an answer to each new one. Returns what was sent, too. */
async function openNotices(devices: object[], answer: Answer, options: DeskOptions = {}) {
  const sent: Record<string, unknown>[] = [];
  const desk = await openDesk({
    ...options,
    query: "console/",
    async prepare(page) {
      const allowed = ["notifications", "clipboard-read", "clipboard-write"];
      await page.context().grantPermissions(allowed, { origin: inject("consoleOrigin") });
      await page.route("**/api/v2/devices", (route) => {
        if (route.request().method() === "GET") return route.fulfill(answered({ devices, pushKey }));
        sent.push(route.request().postDataJSON() as Record<string, unknown>);
        return route.fulfill(answer);
      });
      await options.prepare?.(page);
    },
  });
  if (options.width !== undefined) await desk.page.getByRole("button", { name: "More" }).click();
  return { ...desk, sent, notices: await openSide(desk.page, "Notices") };
}

/** Lets the browser subscribe, which it cannot do without a push service. */
const subscribing = (page: Page) =>
  page.addInitScript(`{
    const subscription = { endpoint: "${endpoint}", toJSON: () => ({ endpoint: "${endpoint}", keys: {} }) };
    let isSubscribed = false;
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      if (applicationServerKey !== "${pushKey}") throw new Error("Another key");
      isSubscribed = true;
      return subscription;
    };
    PushManager.prototype.getSubscription = async () => isSubscribed ? subscription : null;
  }`);

const registrations = (page: Page) =>
  page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope))");

type Shown = { title: string; body: string; tag: string };

/** Records what the script shows, because headless Chromium allows no notifications. */
async function recordShown(context: BrowserContext): Promise<() => Promise<Shown[]>> {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  await worker.evaluate(`self.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag = "" }) => {
      self.shown.push({ title, body, tag });
    };`);
  return () => worker.evaluate("self.shown");
}

/** Brings a push's plain text to the script of the console, as the browser does after decrypting it. */
async function deliver(devtools: CDPSession, data: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [one] }) => {
    if (one !== undefined) resolve(one.registrationId);
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await promise;
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin: inject("consoleOrigin"),
    registrationId,
    data,
  });
  await devtools.send("ServiceWorker.disable");
}

describe("the notices", () => {
  it("start their script once the user asks, say why the browser refuses, and show what a push brings", async () => {
    const { page, context, notices, sent } = await openNotices([], answered({}));
    await notices.getByText("No device of yours gets notices.").waitFor();
    expect(await registrations(page)).toEqual([]);
    await notices.getByRole("button", { name: "Turn on notices" }).click();
    await notices.getByText("This browser's push service refuses:").waitFor();
    expect(sent).toEqual([]);
    expect(await registrations(page)).toEqual([`${inject("consoleOrigin")}/console/`]);

    const shownNotices = await recordShown(context);
    const devtools = await context.newCDPSession(page);
    const push = { id: "n1", type: "ProgramKeyAdded", data: { name: "Bot", scopes: ["read", "trade"] } };
    await deliver(devtools, JSON.stringify(push));
    const shown = {
      title: "Program key Bot was made",
      body: "Its program may read, trade. Not you? Open the terminal and revoke it.",
      tag: "n1",
    };
    await expect.poll(shownNotices).toEqual([shown]);
    await deliver(devtools, "no JSON");
    await expect.poll(shownNotices).toEqual([shown, expect.objectContaining({ tag: "" })]);
    await context.close();
  });

  it("register this browser with the chosen trades, know it again, and change its choice", async () => {
    const devices: object[] = [];
    const { context, notices, sent, complaints } = await openNotices(
      devices,
      answered({ device: browserDevice }),
      { prepare: subscribing },
    );
    await notices.getByLabel("Name of this browser").fill("Phone");
    await notices.getByRole("form").getByLabel("Fills of orders").first().uncheck();
    devices.push(browserDevice);
    await notices.getByRole("button", { name: "Turn on notices" }).click();
    await notices.getByText("this browser", { exact: true }).waitFor();
    await notices.getByText("Gets exports, limits and keys, rejections.").waitFor();
    await notices.getByRole("button", { name: "Save the choice" }).waitFor();
    expect(sent).toEqual([
      {
        type: "push",
        name: "Phone",
        wants: { fills: false, rejections: true, resting: true },
        subscription: { endpoint, keys: {} },
      },
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("show a webhook's secret once, and guard it until the user has kept it", async () => {
    const secret = "whsec_c2VjcmV0";
    const { page, context, notices, sent } = await openNotices(
      [webhook],
      answered({ device: { ...webhook, secret } }),
    );
    await notices.getByText("Add a webhook").click();
    const form = notices.getByRole("form", { name: "Add a webhook" });
    await form.getByLabel("Name").fill("Desk");
    await form.getByLabel("Address").fill("https://hooks.example/notices");
    await form.getByRole("button", { name: "Add the webhook" }).click();
    await notices.getByRole("button", { name: "Copy the secret" }).click();
    await page.getByText("The secret is on the clipboard").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
    expect(sent).toMatchObject([{ type: "webhook", name: "Desk", url: "https://hooks.example/notices" }]);
    await page.keyboard.press("Escape");
    await notices.getByText("What you have entered is not sent.").waitFor();
    await notices.getByRole("button", { name: "I have kept it" }).click();
    expect(await notices.getByText(secret).count()).toBe(0);
    await context.close();
  });

  it("say what hinders a device, and until when a removed one warns its owner", async () => {
    const leavesAt = "2026-12-01T10:00:00.000Z";
    const limit = refused(403, "DEVICE_LIMIT_REACHED", "A user has at most 20 devices", { limit: 20 });
    const leaving = { ...webhook, deviceId: "L".repeat(26), name: "Old", leavesAt };
    const failing = { ...webhook, lastFailure: { time: leavesAt, code: "BAD_STATUS", status: 500 } };
    const { page, context, notices } = await openNotices([failing, leaving], limit, {
      width: 360,
      height: 740,
    });
    await page.route("**/api/v2/devices/*", (route) =>
      route.fulfill(answered({ device: { ...webhook, leavesAt } })),
    );
    await notices.getByText("it answered with 500").waitFor();
    await notices.getByText(/Until .* it still gets notices of exports/).waitFor();
    await notices.getByText("Add a webhook").click();
    const form = notices.getByRole("form", { name: "Add a webhook" });
    await form.getByLabel("Name").fill("Desk");
    await form.getByLabel("Address").fill("https://hooks.example/notices");
    await form.getByRole("button", { name: "Add the webhook" }).click();
    await form.getByRole("alert").filter({ hasText: "it makes room when it has left" }).waitFor();
    await notices.getByRole("button", { name: "Remove Desk" }).click();
    expect(await brokenRules(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    await notices.getByRole("button", { name: "Yes, remove it" }).click();
    await page.getByText(/Desk leaves on/).waitFor();
    await context.close();
  });

  it.each([
    [answered({ devices: [] }), "its operators have made no key"],
    [refused(403, "DEVICES_DISABLED", "Devices are switched off"), "its operators have switched them off"],
  ])("say what the service cannot do: %#", async (answer, text) => {
    const { page, context } = await openDesk();
    await page.route("**/api/v2/devices", (route) => route.fulfill(answer));
    const notices = await openSide(page, "Notices");
    await notices.getByText(text).waitFor();
    await context.close();
  });

  it("are offered next to exports and limits to users without a device", async () => {
    const { page, context } = await openDesk();
    await page.route("**/api/v2/devices", (route) => route.fulfill(answered({ devices: [], pushKey })));
    const wallets = await openSide(page, "Wallets");
    await wallets.getByRole("button", { name: "Open" }).click();
    const wallet = page.getByRole("dialog", { name: "Wallet 1" });
    expect(await wallet.getByRole("button", { name: "Get notices" }).count()).toBe(0);
    await wallet.getByText("Export", { exact: true }).click();
    await wallet.getByRole("button", { name: "Get notices" }).click();
    await page.getByRole("dialog", { name: "Notices" }).getByText("Turn on notices").waitFor();
    await context.close();
  });
});
