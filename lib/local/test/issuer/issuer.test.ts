import { request } from "node:http";
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Handle, json } from "../../src/http/messages.ts";
import { type Listener, listen } from "../../src/http/server.ts";
import { createIssuer, type Issuer, signingKey } from "../../src/issuer/issuer.ts";
import { ISSUER_PATH, ownPaths } from "../../src/own-paths.ts";
import type { Store } from "../../src/storage/store.ts";

const AUDIENCE = "the-api";
const kept = new Map<string, unknown>();
const store: Store = {
  load: <Content>(name: string) => kept.get(name) as Content | undefined,
  save: (name, content) => void kept.set(name, content),
};

let server: Listener;
let issuer: Issuer;

beforeAll(async () => {
  let handle: Handle = async () => json(503, {});
  server = await listen(
    0,
    (each) => handle(each),
    () => {},
  );
  issuer = createIssuer(server.url + ISSUER_PATH, await signingKey(store), AUDIENCE);
  const own = ownPaths({ issuer, describe: () => ({ outputs: { TableName: "t" } }) });
  handle = async (each) => own(each) ?? json(418, {});
});

afterAll(() => server.close());

const post = (body: unknown, headers: Record<string, string> = { "Content-Type": "application/json" }) =>
  fetch(`${issuer.url}/token`, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

async function verify(token: string) {
  const metadata = await (await fetch(`${issuer.url}/.well-known/openid-configuration`)).json();
  const keys = createRemoteJWKSet(new URL((metadata as { jwks_uri: string }).jwks_uri));
  return jwtVerify(token, keys, { issuer: issuer.url, audience: AUDIENCE, algorithms: ["ES256"] });
}

describe("the token endpoint", () => {
  it("signs a token that the published keys verify", async () => {
    const answer = await post({ sub: "alice", username: "Alice", ref: "CODE", expiresIn: 60 });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { access_token, ...rest } = (await answer.json()) as { access_token: string };
    expect(rest).toEqual({ token_type: "Bearer", expires_in: 60 });

    const { payload, protectedHeader } = await verify(access_token);
    expect(protectedHeader).toMatchObject({ alg: "ES256", kid: issuer.keys.keys[0]?.kid });
    expect(payload).toEqual({
      iss: issuer.url,
      aud: AUDIENCE,
      sub: "alice",
      preferred_username: "Alice",
      ref: "CODE",
      jti: expect.any(String),
      iat: expect.any(Number),
      auth_time: payload.iat,
      exp: (payload.iat ?? 0) + 60,
    });
  });

  it("signs a token valid for 15 minutes with only the requested claims", async () => {
    const { payload } = await verify((await issuer.token({ sub: "bob" })).access_token);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
    expect(Object.keys(payload).toSorted()).toEqual(["aud", "auth_time", "exp", "iat", "iss", "jti", "sub"]);
  });

  it("signs a token of an earlier sign-in on request, like a refresh", async () => {
    const { access_token } = await issuer.token({ sub: "bob", signedInSecondsAgo: 301 });
    const { iat = 0, auth_time } = decodeJwt(access_token);
    expect(auth_time).toBe(iat - 301);
    expect(Date.now() / 1000 - iat).toBeLessThan(60);
  });

  it("signs an expired token on request", async () => {
    const { access_token } = await issuer.token({ sub: "bob", expiresIn: -60 });
    await expect(verify(access_token)).rejects.toBeInstanceOf(errors.JWTExpired);
    const { iat = 0, exp = 0 } = decodeJwt(access_token);
    expect(iat).toBeLessThanOrEqual(exp);
  });

  it("signs with the same key after a restart", async () => {
    const { access_token } = await issuer.token({ sub: "bob" });
    const again = createIssuer(issuer.url, await signingKey(store), AUDIENCE);
    expect(again.keys).toEqual(issuer.keys);
    await expect(verify(access_token)).resolves.toBeDefined();
  });
});

it("publishes only the public key", async () => {
  const answer = await fetch(`${issuer.url}/jwks.json`);
  expect(await answer.json()).toEqual({
    keys: [
      {
        kty: "EC",
        crv: "P-256",
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: "ES256",
        use: "sig",
      },
    ],
  });
  expect(kept.get("issuer")).toHaveProperty("d");
});

describe("the issuer", () => {
  it.each([
    ["no sub", { username: "x" }, /^sub: /],
    ["an empty sub", { sub: "" }, /^sub: /],
    ["a sub that is not a string", { sub: 1 }, /^sub: /],
    ["an unknown field", { sub: "a", admin: true }, /^admin: /],
    ["a sign-in in the future", { sub: "a", signedInSecondsAgo: -1 }, /^signedInSecondsAgo: /],
    ["an expiresIn that is not a number", { sub: "a", expiresIn: "60" }, /^expiresIn: /],
    ["malformed JSON", "{", /JSON/],
    ["an array", "[]", /./],
  ])("rejects a token request with %s", async (_, body, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: string }).error).toMatch(message);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "rejects a body of type %j, which any web page could send",
    async (type) => {
      expect((await post({ sub: "a" }, { "Content-Type": type })).status).toBe(415);
    },
  );

  it("allows no preflight", async () => {
    const answer = await fetch(`${issuer.url}/token`, {
      method: "OPTIONS",
      headers: { Origin: "http://evil.example", "Access-Control-Request-Method": "POST" },
    });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("rejects other host names, which may belong to a page that resolves its name to this machine", async () => {
    const status = await new Promise((resolve, reject) => {
      request(`${server.url}/_local/outputs`, { headers: { Host: "evil.example" } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(403);
  });
});

it("leaves every path outside /_local to the API", async () => {
  const status = async (path: string, method = "GET") => (await fetch(server.url + path, { method })).status;
  expect(await status("/_local/outputs")).toBe(200);
  expect(await status("/_local/outputs?x=1")).toBe(200);
  expect(await status("/_local/outputs", "POST")).toBe(405);
  expect(await status("/_local")).toBe(404);
  expect(await status("/_local/toString")).toBe(404);
  expect(await status("/_localized")).toBe(418);
  expect(await status("/pets")).toBe(418);
});
