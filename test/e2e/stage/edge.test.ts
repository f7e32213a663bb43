import { setTimeout as pause } from "node:timers/promises";
import { describe, expect } from "vitest";
import { get, sendRaw } from "../support/client.ts";
import { connect, refusalOf } from "../support/stream.ts";
import { profileOf } from "../support/terminal.ts";
import { it, service } from "./support/check.ts";

describe("the edge", () => {
  it("caches no errors, and forwards the next request", async ({ edge: _ }) => {
    const path = `/verify-${Date.now()}`;
    for (const { status, headers } of [await get(path), await get(path)])
      expect({ status, age: headers.get("Age") }).toEqual({ status: 404, age: null });
  });

  it("forwards a strong ETag, even to clients that accept compressed responses", async ({
    edge: _,
    user,
  }) => {
    const read = (headers: Record<string, string>) =>
      get("/api/v2/settings/sol", { token: user.token, headers });
    const etag = (await read({ "Accept-Encoding": "gzip, br" })).headers.get("ETag") ?? "";
    expect(etag, "The ETag").toMatch(/^"\d+"$/);
    expect((await read({ "If-None-Match": etag })).status).toBe(304);
  });

  it("never gives a user the answer to another user's simultaneous request", async ({
    edge: _,
    minutes: __,
    user,
    other,
  }) => {
    // A plan allows 1000 requests a minute.
    for (let pair = 0; pair < 1000; pair += 1) {
      const [own, others] = await Promise.all([profileOf(user), profileOf(other), pause(70)]);
      expect([own.userID, others.userID], `pair ${pair}`).toEqual([user.id, other.id]);
    }
  });

  it("refuses a GET that has a body with its own 403 page", async ({ edge: _ }) => {
    const length = [["Content-Length", "2"]] as const;
    const { status, headers } = await sendRaw("GET", "/listWallets", [...length], "{}");
    expect({ status, type: headers.get("Content-Type") }).toEqual({ status: 403, type: "text/html" });
  });
});

describe("the console", () => {
  it("has a page at each of its paths, and a script that browsers may keep for a year", async ({
    console: url,
  }) => {
    const page = await fetch(`${url}eth/verify`);
    expect([page.status, page.headers.get("Cache-Control")]).toEqual([200, "no-cache"]);
    const [script = "none"] = /\/console\/files\/script-\w+\.js/.exec(await page.text()) ?? [];
    const { status, headers } = await fetch(new URL(script, url));
    expect([status, headers.get("Cache-Control")]).toEqual([200, "max-age=31536000, immutable"]);
  });

  it("signs in at an issuer that answers, and may call it", async ({ console: url }) => {
    const answer = await fetch(`${url}config.json`);
    const policy = answer.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(/script-src 'self'; /);
    const { issuer, clientId } = (await answer.json()) as { issuer: string; clientId: string };
    expect(clientId, "The client").not.toBe("");
    const metadata = await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { issuer: named, token_endpoint } = (await metadata.json()) as Record<string, string>;
    expect(named).toBe(issuer);
    const [, allowed = ""] = /connect-src ([^;]+)/.exec(policy) ?? [];
    for (const called of [issuer, token_endpoint ?? issuer])
      expect(allowed.split(" "), "Origins that the page may call").toContain(new URL(called).origin);
  });

  it("sends users to a sign-in page that knows the console's address", async ({ console: page }) => {
    const answer = await fetch(`${page}config.json`);
    const { issuer, clientId, scope } = (await answer.json()) as Record<string, string>;
    const metadata = await fetch(`${issuer?.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { authorization_endpoint } = (await metadata.json()) as { authorization_endpoint: string };
    const url = new URL(authorization_endpoint);
    const asked = {
      client_id: clientId ?? "",
      redirect_uri: page,
      response_type: "code",
      scope: scope ?? "",
      state: "verify",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    const { status, headers } = await fetch(url, { redirect: "manual" });
    expect(status, "The status of the sign-in page").toBeLessThan(400);
    expect(headers.get("Location") ?? "", "Where it leads").not.toMatch(/error/);
  });
});

describe("the APIs' own addresses", () => {
  it("serves requests directly, or with edgeOnly refuses those without the origin key (403)", async ({
    edge,
    user,
  }) => {
    const { own } = edge;
    const { EDGE_ONLY } = (await service.deployed?.environmentOf("authorize")) ?? {};
    const guess = { Authorization: `Bearer ${user.token}`, "x-origin-key": "guessed" };
    const { status } = await fetch(`${own.baseUrl}/getUserData`, { headers: guess });
    const handshake = { token: user.token, url: own.streamUrl };
    if (EDGE_ONLY === "true") {
      expect([status, (await refusalOf(handshake)).status]).toEqual([403, 403]);
    } else {
      expect(status).toBe(200);
      await connect(handshake);
    }
  });
});
