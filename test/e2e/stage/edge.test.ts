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
