import { setTimeout as pause } from "node:timers/promises";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { get, send, sendRaw } from "../support/client.ts";
import { endpoints } from "../support/endpoints.ts";
import { expectNoTraceOf, expectUnauthorized } from "../support/expectations.ts";
import { claimsLike, inSeconds, signAsIssuer } from "../support/issuer.ts";
import { issueToken, newUser } from "../support/users.ts";

const day = 86_400;

describe.each(endpoints)("$name", ({ method, path, body, status }) => {
  test("tells of an expired token that a refresh will help", async () => {
    const { id } = await newUser();
    const token = await issueToken({ sub: id, expiresIn: -60 });

    const answer = await send(method, path, { token, body });

    expectUnauthorized(answer, { expired: true });
    expectNoTraceOf(token, answer);
  });

  test("tells so of one in the cookie too", async () => {
    const { id } = await newUser();
    const token = await issueToken({ sub: id, expiresIn: -day });

    const answer = await send(method, path, { body, headers: { Cookie: `access_token=${token}` } });

    expectUnauthorized(answer, { expired: true });
  });

  test("takes the word of an expired header over that of a good cookie", async () => {
    const { id, token } = await newUser();
    const expired = await issueToken({ sub: id, expiresIn: -60 });

    const answer = await send(method, path, {
      token: expired,
      body,
      headers: { Cookie: `access_token=${token}` },
    });

    expectUnauthorized(answer, { expired: true });
  });

  test("refuses a token that another issuer might have signed by the same key", async () => {
    const { token } = await newUser();

    const answer = await send(method, path, {
      token: await signAsIssuer(claimsLike(token, { iss: "https://issuer.example" })),
      body,
    });

    expectUnauthorized(answer);
  });

  test("refuses a token for another audience", async () => {
    const { token } = await newUser();

    const answer = await send(method, path, {
      token: await signAsIssuer(claimsLike(token, { aud: "another-service" })),
      body,
    });

    expectUnauthorized(answer);
  });

  test("takes a token that the test has signed by the issuer's key, so that the others are refused for what they say", async () => {
    const { token } = await newUser();

    const answer = await send(method, path, { token: await signAsIssuer(claimsLike(token, {})), body });

    expect(answer.status, answer.text).toBe(status);
  });
});

describe("A token that the issuer has signed is refused", () => {
  test.each<[title: string, change: (iss: string) => object]>([
    ["without an issuer", () => ({ iss: undefined })],
    ["with a slash behind the issuer", (iss) => ({ iss: `${iss}/` })],
    ["with a list of issuers", (iss) => ({ iss: [iss] })],
    ["without an audience", () => ({ aud: undefined })],
    ["with an empty audience", () => ({ aud: "" })],
    ["with no audience in the list", () => ({ aud: [] })],
    ["with another client's id for an audience", () => ({ aud: undefined, client_id: "another-service" })],
    ["with an audience in another case", () => ({ aud: "TRADING-TERMINAL" })],
    ["without an end", () => ({ exp: undefined })],
    ["with an end that is text", () => ({ exp: `${inSeconds(day)}` })],
    ["with an end that is null", () => ({ exp: null })],
    ["with a beginning in the future", () => ({ nbf: inSeconds(600) })],
    ["with a beginning that is text", () => ({ nbf: "now" })],
    ["without a subject", () => ({ sub: undefined })],
    ["with an empty subject", () => ({ sub: "" })],
    ["with a subject that is a number", () => ({ sub: 42 })],
    ["with a subject that is null", () => ({ sub: null })],
    ["with a list of subjects", () => ({ sub: ["a", "b"] })],
    ["with a subject of 2,000 letters", () => ({ sub: "x".repeat(2_000) })],
    ["with a NUL byte in the subject", () => ({ sub: "a\0b" })],
    ["expired and for another audience", () => ({ exp: inSeconds(-day), aud: "another-service" })],
    ["expired and from another issuer", () => ({ exp: inSeconds(-day), iss: "https://issuer.example" })],
    ["expired and without a subject", () => ({ exp: inSeconds(-day), sub: undefined })],
  ])("%s, and not as one that a refresh will help", async (_, change) => {
    const { token } = await newUser();
    const claims = claimsLike(token, change(decodeJwt(token).iss ?? ""));

    const answer = await get("/listWallets", { token: await signAsIssuer(claims) });

    expectUnauthorized(answer);
  });

  test.each([
    ["an unknown key id", { kid: "unknown" }],
    ["an extension that it calls critical", { crit: ["exp"], exp: 1 }],
    ["an unknown extension that it calls critical", { crit: ["surprise"], surprise: true, b64: true }],
  ])("with %s in its header", async (_, header) => {
    const { token } = await newUser();
    const [, payload, signature] = token.split(".");
    const forged = Buffer.from(JSON.stringify({ alg: "ES256", typ: "JWT", ...header })).toString("base64url");

    expectUnauthorized(await get("/listWallets", { token: `${forged}.${payload}.${signature}` }));
  });

  test("with an unknown key id that it was signed under", async () => {
    const { token } = await newUser();

    expectUnauthorized(
      await get("/listWallets", { token: await signAsIssuer(claimsLike(token, {}), { kid: "unknown" }) }),
    );
  });

  test("expired, when its signature is bad: then no refresh will help", async () => {
    const { id } = await newUser();
    const [header, payload, signature = ""] = (await issueToken({ sub: id, expiresIn: -60 })).split(".");
    const token = `${header}.${payload}.${signature.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`;

    expectUnauthorized(await get("/listWallets", { token }));
  });
});

describe("A token that the issuer has signed is accepted", () => {
  test.each<[title: string, change: (audience: unknown) => object]>([
    ["with the audience among others", (aud) => ({ aud: ["another-service", aud].flat() })],
    [
      "with the audience for a client's id, as Cognito writes it",
      (aud) => ({ aud: undefined, client_id: aud }),
    ],
    ["with an end far away", () => ({ exp: inSeconds(3650 * day) })],
    ["with a beginning in the past", () => ({ nbf: inSeconds(-60) })],
    ["without the time of issue", () => ({ iat: undefined })],
    ["with claims that nobody knows", () => ({ surprise: { a: [1, "__proto__"] }, ref: 42, nickname: null })],
  ])("%s", async (_, change) => {
    const { token } = await newUser();
    const claims = claimsLike(token, change(decodeJwt(token).aud));

    const answer = await get("/listWallets", { token: await signAsIssuer(claims) });

    expect(answer.status, answer.text).toBe(200);
  });

  test.each([
    "a",
    "auth0|5f7c8ec7c33c6c004bbafe82",
    "a b",
    "x#WALLET#eth",
    "PROFILE",
    "../..",
    "*",
    "x".repeat(255),
  ])("for a subject like %j", async (ending) => {
    const { id, token } = await newUser();
    const sub = ending.length > 200 ? `${id}${ending}`.slice(0, 255) : `${id}${ending}`;

    const answer = await get("/getUserData", { token: await signAsIssuer(claimsLike(token, { sub })) });

    expect(answer.json).toMatchObject({ userID: sub });
  });
});

test("a token that was good until now is refused from its end on, give or take some seconds", async () => {
  const { id } = await newUser();
  const token = await issueToken({ sub: id, expiresIn: 1 });
  expect(await get("/listWallets", { token })).toMatchObject({ status: 200 });

  let answer = await get("/listWallets", { token });
  for (let waited = 0; answer.status === 200 && waited < 15; waited++) {
    await pause(1_000);
    answer = await get("/listWallets", { token });
  }

  expectUnauthorized(answer, { expired: true });
});

test("a token of 8 KB is as good as any", async () => {
  const { token } = await newUser();
  const long = await signAsIssuer(claimsLike(token, { padding: "x".repeat(5_500) }));

  const answer = await sendRaw("GET", "/listWallets", [["Authorization", `Bearer ${long}`]]);

  expect(long.length).toBeGreaterThan(7_000);
  expect(answer.status, answer.text).toBe(200);
});
