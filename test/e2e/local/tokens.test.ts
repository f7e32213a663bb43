import { setTimeout as pause } from "node:timers/promises";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { runsAll, sampled } from "../../cases/sample.ts";
import { badClaims, type ChangeClaims, goodClaims, goodSubjects } from "../../cases/tokens.ts";
import { get, send, sendRaw } from "../support/client.ts";
import { endpoints } from "../support/endpoints.ts";
import { expectNoTraceOf, expectUnauthorized } from "../support/expectations.ts";
import { claimsLike, inSeconds, signAsIssuer } from "../support/issuer.ts";
import { issueToken, someUser } from "../support/users.ts";

const user = someUser();

const expired = () => issueToken({ sub: user.id, expiresIn: -60 });

/** A token with changed claims, signed by the issuer's key. */
function signed(change: ChangeClaims): Promise<string> {
  const { iss = "", aud = "" } = decodeJwt(user.token);
  const claims = change({ iss, aud: [aud].flat()[0] ?? "", nowSeconds: inSeconds(0) });
  return signAsIssuer(claimsLike(user.token, claims));
}

describe.each(endpoints)("$name", ({ name, method, path, body, status }) => {
  it("tells clients to refresh an expired token", async () => {
    const token = await expired();

    const answer = await send(method, path, { token, body });

    expectUnauthorized(answer, { expired: true });
    expectNoTraceOf(token, answer);
  });

  it("accepts a valid token signed by the test, so the other tokens are refused only for their claims", async () => {
    const answer = await send(method, path, { token: await signed(() => ({})), body });

    expect(answer.status, answer.text).toBe(status);
  });

  it("refuses a token for another audience", async () => {
    const token = await signed(() => ({ aud: "another-service" }));

    expectUnauthorized(await send(method, path, { token, body }));
  });

  // All endpoints share one authorizer.
  if (runsAll() || name === "GET /listWallets") {
    it("tells clients to refresh an expired token in the cookie", async () => {
      const headers = { Cookie: `access_token=${await expired()}` };

      expectUnauthorized(await send(method, path, { body, headers }), { expired: true });
    });

    it("tells clients to refresh an expired token in the header, even with a valid cookie", async () => {
      const headers = { Cookie: `access_token=${user.token}` };

      const answer = await send(method, path, { token: await expired(), body, headers });

      expectUnauthorized(answer, { expired: true });
    });

    it("refuses a token of another issuer that is signed by the same key", async () => {
      const token = await signed(() => ({ iss: "https://issuer.example" }));

      expectUnauthorized(await send(method, path, { token, body }));
    });
  }
});

describe("a token of the issuer", () => {
  it.each(sampled(badClaims))("refuses a token $title, without asking for a refresh", async ({ value }) => {
    expectUnauthorized(await get("/listWallets", { token: await signed(value) }));
  });

  it("refuses a token whose header names an unknown key id", async () => {
    const token = await signAsIssuer(claimsLike(user.token, {}), { kid: "unknown" });

    expectUnauthorized(await get("/listWallets", { token }));
  });

  it("refuses an expired token with a bad signature, without asking for a refresh", async () => {
    const [header, payload, signature = ""] = (await expired()).split(".");
    const token = `${header}.${payload}.${signature.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`;

    expectUnauthorized(await get("/listWallets", { token }));
  });

  it.each(sampled(goodClaims))("accepts a token $title", async ({ value }) => {
    const answer = await get("/listWallets", { token: await signed(value) });

    expect(answer.status, answer.text).toBe(200);
  });

  it.each(sampled(goodSubjects))("accepts a token for a subject like $title", async ({ value }) => {
    const sub = `${user.id}${value}`.slice(0, 255);

    const answer = await get("/getUserData", { token: await signed(() => ({ sub })) });

    expect(answer.json).toMatchObject({ userID: sub });
  });

  it("refuses a token within seconds of its expiry", async () => {
    const token = await issueToken({ sub: user.id, expiresIn: 1 });
    expect(await get("/listWallets", { token })).toMatchObject({ status: 200 });

    let answer = await get("/listWallets", { token });
    for (let waited = 0; answer.status === 200 && waited < 15; waited++) {
      await pause(1_000);
      answer = await get("/listWallets", { token });
    }

    expectUnauthorized(answer, { expired: true });
  });

  it("accepts a token of 8 KB", async () => {
    const long = await signAsIssuer(claimsLike(user.token, { padding: "x".repeat(5_500) }));

    const answer = await sendRaw("GET", "/listWallets", [["Authorization", `Bearer ${long}`]]);

    expect(long.length).toBeGreaterThan(7_000);
    expect(answer.status, answer.text).toBe(200);
  });
});
