import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newEvmKey } from "../support/keys.ts";
import { browserForTests } from "./support/browser.ts";

const browser = browserForTests();

/** Example of a sealed import, as the guide shows it. */
const [, example = ""] =
  /```js\n(import .*? from "hpke";\n.*?)```/s.exec(readFileSync("docs/wallets.md", "utf8")) ?? [];

const page = `<!doctype html><title>app</title>
<script type="importmap">{"imports":{"hpke":"/app/hpke.js"}}</script>
<script type="module">import { importSealed } from "/app/example.js"; window.importSealed = importSealed;</script>`;

const files: Record<string, [type: string, text: string]> = {
  "/app/": ["text/html", page],
  "/app/example.js": ["text/javascript", example],
  "/app/hpke.js": ["text/javascript", readFileSync("node_modules/hpke/index.js", "utf8")],
};

describe("the guide's example of a sealed import", () => {
  it("imports a sealed key in Chromium and rejects an import key that is not pinned", async () => {
    expect(example.trim().split("\n").length).toBeLessThan(26);
    const { page: tab, complaints } = await browser.visit();
    const { baseUrl } = browser.runner;
    // Serves a page on the API's own site. Chromium must load the page itself, or it may not call this machine.
    await tab.route(`${baseUrl}/app/**`, (route) => {
      const [contentType, body] = files[new URL(route.request().url()).pathname] ?? ["text/plain", ""];
      return route.fulfill({ contentType, body });
    });
    await tab.goto(`${baseUrl}/app/`);
    await tab.waitForFunction("window.importSealed !== undefined");

    const userID = "sealing-user";
    const issued = await fetch(`${baseUrl}/_local/issuer/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sub: userID }),
    });
    const { access_token: token } = (await issued.json()) as { access_token: string };
    const answer = await fetch(`${baseUrl}/api/v2/wallets/import-key`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { data } = (await answer.json()) as { data: { keys: { keyId: string }[] } };
    const made = newEvmKey("base");
    const options = { baseUrl, token, userID, network: "base", secret: [...made.secret] };
    const run = (pinnedKeyIds: string[]) =>
      tab.evaluate(
        `(({ secret, ...rest }) => window.importSealed({ ...rest, privateKey: Uint8Array.from(secret) }))(${JSON.stringify({ ...options, pinnedKeyIds })})`,
      );
    expect(await run(data.keys.map(({ keyId }) => keyId))).toMatchObject({
      success: true,
      data: { wallet: { generatedWalletAddress: made.address, network: "base", walletType: "imported" } },
    });
    await expect(run(["another"])).rejects.toThrow();
    expect(complaints).toEqual([]);
  });
});
