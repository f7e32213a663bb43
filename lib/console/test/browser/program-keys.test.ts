import { createPrivateKey, createPublicKey } from "node:crypto";
import { text } from "node:stream/consumers";
import { describe, expect, inject, it } from "vitest";
import { brokenRules } from "../support/browser.ts";
import { openSide, sidewaysPixels } from "../support/desk.ts";
import { answered, desksForTests, refused } from "../support/scripted-desk.ts";

const openDesk = desksForTests();

type Body = { name: string; publicKey: string };
const keyOf = (body: Body) => ({
  ...body,
  keyId: "pk_Zk3vJ0mY8QxT2nB5rWcA7dLs",
  createdAt: "2026-11-21T09:30:00.000Z",
});

describe("the program keys", () => {
  it("make a pair in the browser once, and hand over the private half as a file", async () => {
    const sent: Body[] = [];
    const { page, context, complaints } = await openDesk({ width: 360, height: 740 });
    await page.route("**/api/v2/keys", (route) => {
      if (route.request().method() === "GET")
        return route.fulfill(answered({ keys: sent.slice(1).map(keyOf) }));
      const body = route.request().postDataJSON() as Body;
      const isFirst = sent.push(body) === 1;
      return route.fulfill(
        isFirst ? refused(409, "KEY_LIMIT_REACHED", "Revoke one first") : answered({ key: keyOf(body) }),
      );
    });
    await page.getByRole("button", { name: "More" }).click();
    const keys = await openSide(page, "Program keys");
    await keys.getByText("No program has a key.").waitFor();
    await keys.getByText("Make a program key").click();
    await keys.getByLabel("Name", { exact: true }).fill("Bot");
    await keys.getByLabel("Place and cancel orders").check();
    await keys.getByText("Without a limit for a day").waitFor();
    await keys.getByLabel("Most in a day on each chain").fill("0.5");
    await keys.getByLabel("Base", { exact: true }).check();
    await keys.getByLabel("Wallet 1, eth").check();
    await keys.getByLabel(/^Last day/).fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
    expect(await brokenRules(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    await keys.getByRole("button", { name: "Make the key" }).click();
    await page.getByText("Revoke one first").waitFor();
    await keys.getByRole("button", { name: "Make the key" }).click();
    const done = keys.getByRole("button", { name: "Done" });
    expect(await done.isDisabled()).toBe(true);
    expect(await brokenRules(page)).toEqual([]);
    const download = page.waitForEvent("download");
    await keys.getByRole("button", { name: "Save key.json" }).click();
    const file = JSON.parse(await text(await (await download).createReadStream())) as { privateKey: string };
    expect(file).toEqual({
      baseUrl: inject("consoleOrigin"),
      userID: "ada",
      keyId: "pk_Zk3vJ0mY8QxT2nB5rWcA7dLs",
      privateKey: expect.stringContaining("PRIVATE KEY"),
    });
    const { x } = createPublicKey(createPrivateKey(file.privateKey)).export({ format: "jwk" });
    expect(sent).toEqual([sent[1], { ...sent[1], publicKey: x }]);
    expect(sent[0]).toMatchObject({
      name: "Bot",
      scopes: ["read", "trade"],
      chains: ["base"],
      maxPerDay: "0.5",
      wallets: [expect.stringMatching(/^0x/)],
    });
    await done.click();
    await keys.getByText("at most 0.5 a day on each chain").waitFor();
    expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
    await context.close();
  });

  it("register a pasted public key, and say what revoking does before it is done", async () => {
    const publicKey = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    let keys: object[] = [];
    const { page, stream, context, complaints } = await openDesk();
    await page.route("**/api/v2/keys", (route) => {
      if (route.request().method() === "POST") keys = [keyOf(route.request().postDataJSON() as Body)];
      return route.fulfill(answered({ keys, key: keys[0] }));
    });
    await page.route("**/api/v2/keys/*", (route) => {
      keys = keys.map((key) => ({ ...key, revokedAt: new Date().toISOString() }));
      return route.fulfill(answered({ key: keys[0] }));
    });
    const panel = await openSide(page, "Program keys");
    await panel.getByText("Make a program key").click();
    await panel.getByLabel("Name", { exact: true }).fill("Bot");
    await panel.getByLabel("Public key").fill(publicKey);
    await panel.getByRole("button", { name: "Make the key" }).click();
    await panel.getByText("Bot is in force.").waitFor();
    expect(await panel.getByText("Save key.json").count()).toBe(0);
    expect(keys).toMatchObject([{ publicKey }]);
    await panel.getByRole("button", { name: "Done" }).click();

    stream.send({ type: "ProgramKeyAdded", time: new Date().toISOString(), data: { key: keys[0] } });
    await panel.getByText("The program key Bot was made.").waitFor();
    await panel.getByRole("button", { name: "Revoke Bot" }).click();
    await panel.getByText("its open and resting orders are cancelled").waitFor();
    await panel.getByRole("button", { name: "Yes, revoke it" }).click();
    await panel.getByText(/^Revoked on/).waitFor();
    stream.send({ type: "ProgramKeyRevoked", time: new Date().toISOString(), data: { key: keys[0] } });
    await panel.getByText("The program key Bot was made.").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await context.close();
  });
});
