import { describe, expect, it } from "vitest";
import { type Answer, get, post, sendRaw } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { connect, edgeAddress } from "../support/stream.ts";
import { changeSettings } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const Origin = deployment().allowedOrigin ?? "";

/** Expects a CloudFront error page, which pages of other origins cannot read. */
function expectPage({ status, headers, text }: Answer, wanted: number): void {
  expect(status, text).toBe(wanted);
  expect(headers.get("Content-Type")).toBe("text/html");
  expect(headers.get("X-Cache")).toBe("Error from cloudfront");
  expect(headers.has("Access-Control-Allow-Origin")).toBe(false);
}

describe("the shared address", () => {
  it("delivers a change of settings to clients that are connected at base_url", async () => {
    const user = await newUser();
    const stream = await connect({ token: user.token, url: edgeAddress() });
    await changeSettings(user, "base", { slippage: 3 });
    expect(await stream.take({ type: "TradingSettingsUpdated" })).toMatchObject({
      data: { chain: "base", settings: { slippage: 3 } },
    });
  });

  it("forwards strong ETags", async () => {
    const { token } = await newUser();
    const { headers } = await get("/api/v2/settings/eth", { token });
    expect(headers.get("ETag")).toBe('"0"');
    expect(headers.get("X-Cache")).toBe("Miss from cloudfront");
    const again = await get("/api/v2/settings/eth", { token, headers: { "If-None-Match": '"0"' } });
    expect(again.status).toBe(304);
  });

  it("compresses responses of 1 KB or more for clients that accept gzip", async () => {
    const { token } = await newUser();
    const read = async (path: string, coding: string) => {
      const { text, headers } = await get(path, { token, headers: { "Accept-Encoding": coding } });
      return [text.length > 1024, headers.get("Content-Encoding")];
    };
    const long = "/api/v2/tokens";
    expect([
      await read(long, "gzip, br"),
      await read(long, "br"),
      await read("/listWallets", "gzip"),
    ]).toEqual([
      [true, "gzip"],
      [true, null],
      [false, null],
    ]);
  });

  it("never caches an error, so refusing one user does not affect another", async () => {
    const { token } = await newUser();
    const path = "/api/v2/orders/0000000000000000000000000A";
    for (const answer of [await get(path, { token }), await get(path, { token })]) {
      expect(answer).toMatchObject({ status: 404, json: { error: { code: "ORDER_NOT_FOUND" } } });
      expect(answer.headers.has("Age")).toBe(false);
    }
  });

  it("serves no requests to @connections", async () => {
    const { token } = await newUser();
    const { pathname } = new URL(edgeAddress());
    expectPage(await post(pathname, { token, body: {}, headers: { Origin } }), 403);
    expect((await get(`${pathname}/@connections/x`, { token })).status).toBe(404);
  });

  it.each<[string, () => Promise<Answer>, number]>([
    [
      "a GET with a body",
      () =>
        sendRaw(
          "GET",
          "/listWallets",
          [
            ["Origin", Origin],
            ["Content-Length", "2"],
          ],
          "{}",
        ),
      403,
    ],
    ["a method that CloudFront does not know", () => sendRaw("PURGE", "/listWallets", []), 403],
    ["a URL of more than 8,192 bytes", () => get(`/listWallets?${"x".repeat(8200)}`), 414],
  ])("answers %s with an HTML page", async (_, ask, status) => expectPage(await ask(), status));
});

describe("the console", () => {
  it("answers every path without a dot below /console/ with its page, which browsers ask for on each visit", async () => {
    const { status, headers, text } = await get("/console/eth/0x1/1m");
    expect({ status, type: headers.get("Content-Type") }).toEqual({ status: 200, type: "text/html" });
    expect(headers.get("Cache-Control")).toBe("no-cache");
    expect(headers.get("Content-Security-Policy")).toContain("script-src 'self'; style-src 'self'");
    expect(headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
    const [script = ""] = /\/console\/files\/script-\w{8}\.js/.exec(text) ?? [];
    const file = await get(script, { headers: { "Accept-Encoding": "br" } });
    expect(file.headers.get("Cache-Control")).toBe("max-age=31536000, immutable");
    expect(file.headers.get("Content-Encoding")).toBe("br");
    expect((await get("/console")).headers.get("Location")).toBe("/console/");
    expect((await get("/console/files/script-OLD.js")).status).toBe(403);
  });

  it("lists the docs for agents at its root", async () => {
    const { headers, text } = await get("/llms.txt");
    expect(headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect((await get("/docs/trading.md")).status).toBe(200);
    expect(text).toContain("](/docs/trading.md): ");
  });

  it("tells the page where users sign in, and names the reference but no explorers of local chains", async () => {
    expect((await get("/console/config.json")).json).toEqual({
      issuer: `${deployment().baseUrl}/_local/issuer`,
      clientId: "console",
      scope: "openid offline_access",
      audience: "trading-terminal",
      docs: "/docs/",
      explorers: {},
    });
  });
});

describe("the REST API's own address", () => {
  it("serves requests at the REST API's own address", async () => {
    const { token } = await newUser();
    const local = await fetch(`${deployment().baseUrl}/_local/outputs`);
    const { restUrl } = (await local.json()) as { restUrl: string };
    expect(restUrl).not.toBe(deployment().baseUrl);
    const answer = await fetch(`${restUrl}/listWallets`, { headers: { Authorization: `Bearer ${token}` } });
    expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: [] });
    expect(answer.headers.has("X-Cache")).toBe(false);
  });
});
