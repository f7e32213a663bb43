import { createHash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import type { GatewayResponse } from "../../src/http/messages.ts";
import { createCodeFlow } from "../../src/issuer/code-flow.ts";
import { createIssuer, signingKey } from "../../src/issuer/issuer.ts";
import { ISSUER_PATH, ownPaths } from "../../src/own-paths.ts";
import { memoryStore, type Store } from "../../src/storage/store.ts";

const url = `http://127.0.0.1:3000${ISSUER_PATH}`;
const page = "http://127.0.0.1:3000/app/";
const clients = [
  { clientId: "app", redirectUris: [page, "http://localhost:3000/app/"] },
  { clientId: "other", redirectUris: ["http://localhost:5173/"] },
];
const verifier = randomBytes(32).toString("base64url");

const asked = {
  client_id: "app",
  redirect_uri: page,
  response_type: "code",
  scope: "openid offline_access",
  state: "the-state",
  nonce: "the-nonce",
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
};

type Fields = Record<string, string | undefined>;

const encoded = (fields: Fields) =>
  new URLSearchParams(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  ).toString();

const issuer = createIssuer(url, await signingKey(memoryStore), "the-api");
let nowMs: number;
let serve: ReturnType<typeof ownPaths>;

/** Starts the issuer, as after a restart if the store has content. */
function start(store: Store = memoryStore): void {
  const flow = createCodeFlow({ issuer, clients, store, nowMs: () => nowMs });
  serve = ownPaths({ issuer, describe: () => ({}), flow });
}

beforeEach(() => {
  nowMs = Date.now();
  start();
});

type Answer = { status: number; text: string; headers: Map<string, string>; location: URL | undefined };

async function send(method: string, target: string, headers: Fields = {}, body = ""): Promise<Answer> {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const answer: GatewayResponse | undefined = await serve({
    method,
    target: ISSUER_PATH + target,
    headers: sent,
    body: Buffer.from(body),
    sourceIp: "127.0.0.1",
  });
  if (answer === undefined) throw new Error(`The issuer does not serve ${target}`);
  const read = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), value]));
  const location = read.get("location");
  return {
    status: answer.status,
    text: answer.body.toString(),
    headers: read,
    location: location === undefined ? undefined : new URL(location),
  };
}

const get = (path: string, fields: Fields, cookie?: string) =>
  send("GET", `${path}?${encoded(fields)}`, { cookie });

const form = "application/x-www-form-urlencoded";

const post = (path: string, fields: Fields, headers: Fields = {}) =>
  send("POST", path, { "content-type": form, ...headers }, encoded(fields));

/** Signs in on the page. Returns the code and the browser's cookie. */
async function signIn(user = "alice", changed: Fields = {}, cookie?: string) {
  const { location, headers } = await post("/authorize", { ...asked, ...changed, user }, { cookie });
  const code = location?.searchParams.get("code") ?? "";
  return { code, location, cookie: headers.get("set-cookie")?.split(";", 1)[0] ?? "" };
}

const exchange = async (code: string, changed: Fields = {}) => {
  const fields = {
    grant_type: "authorization_code",
    client_id: "app",
    redirect_uri: page,
    code_verifier: verifier,
  };
  const { status, text } = await post("/oauth/token", { ...fields, code, ...changed });
  return {
    status,
    ...(JSON.parse(text) as {
      error?: string;
      access_token: string;
      id_token: string;
      refresh_token: string;
    }),
  };
};

const renew = async (refresh_token: string, client_id = "app") => {
  const { status, text } = await post("/oauth/token", {
    grant_type: "refresh_token",
    client_id,
    refresh_token,
  });
  return {
    status,
    ...(JSON.parse(text) as {
      error?: string;
      access_token: string;
      id_token: string;
      refresh_token: string;
    }),
  };
};

const refused = { status: 400, error: "invalid_grant" };

describe("the sign-in page", () => {
  it("offers a user in one click, and returns a code, the state and the issuer", async () => {
    const shown = await get("/authorize", asked);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('name="known" value="alice">Continue as alice</button>');
    expect(shown.headers.get("content-security-policy")).toContain(
      "form-action 'self' http://127.0.0.1:3000",
    );
    expect(shown.headers.get("cache-control")).toBe("no-store");

    const { location } = await post("/authorize", { ...asked, known: "alice" });
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: "the-state",
      iss: url,
    });
    expect(location?.href).toMatch(/^http:\/\/127\.0\.0\.1:3000\/app\/\?code=/);
  });

  it("shows a request's text as text", async () => {
    const { text } = await get("/authorize", { ...asked, state: '"><script>alert(1)</script>' });
    expect(text).toContain("&quot;&gt;&lt;script&gt;");
    expect(text).not.toContain("<script>");
  });

  it.each<[string, Fields]>([
    ["an unknown client", { client_id: "stranger" }],
    ["no client", { client_id: undefined }],
    ["a page of another client", { redirect_uri: "http://localhost:5173/" }],
    ["a page without its slash", { redirect_uri: page.slice(0, -1) }],
    ["a page with a query", { redirect_uri: `${page}?a=b` }],
    ["a page of another site", { redirect_uri: "https://evil.example/app/" }],
    ["no page", { redirect_uri: undefined }],
  ])("sends nobody anywhere for %s", async (_, changed) => {
    for (const answer of [
      await get("/authorize", { ...asked, ...changed }),
      await post("/authorize", { ...asked, ...changed, user: "alice" }),
    ])
      expect([answer.status, answer.location]).toEqual([400, undefined]);
  });

  it.each<[string, Fields, string]>([
    ["another flow", { response_type: "token" }, "unsupported_response_type"],
    ["no challenge", { code_challenge: undefined }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["a short challenge", { code_challenge: "abc" }, "invalid_request"],
    ["no openid", { scope: "profile" }, "invalid_scope"],
    ["an unknown scope", { scope: "openid admin" }, "invalid_scope"],
    ["no question to a stranger", { prompt: "none" }, "login_required"],
  ])("returns an error for %s", async (_, changed, error) => {
    const { location } = await get("/authorize", { ...asked, ...changed });
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({
      error,
      state: "the-state",
      iss: url,
    });
    expect(location?.searchParams.has("code")).toBe(false);
  });

  it("refuses a parameter that is given twice", async () => {
    const { location } = await send("GET", `/authorize?${encoded(asked)}&scope=openid`);
    expect(location?.searchParams.get("error")).toBe("invalid_request");
  });

  it("returns a refusal if the user cancels", async () => {
    const { location } = await post("/authorize", { ...asked, refused: "yes" });
    expect(location?.searchParams.get("error")).toBe("access_denied");
  });

  it.each(["", "Zoë", "x".repeat(256)])("refuses the user %j", async (user) => {
    const { status, location } = await post("/authorize", { ...asked, user });
    expect([status, location]).toEqual([400, undefined]);
  });

  it("accepts no form of another page", async () => {
    const fields = { ...asked, user: "mallory" };
    expect((await post("/authorize", fields, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post("/logout", {}, { "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await post("/authorize", fields, { "sec-fetch-site": "same-origin" })).status).toBe(303);
  });

  it("knows a browser by its cookie, and asks again only if the page wants that", async () => {
    const { cookie } = await signIn("bob");
    const again = await get("/authorize", asked, cookie);
    expect(again.location?.searchParams.get("code")).toMatch(/./);
    const asking = await get("/authorize", { ...asked, prompt: "login" }, cookie);
    expect(asking.text).toContain("Continue as bob");
    const { cookie: newer } = await signIn("carol", {}, cookie);
    expect((await get("/authorize", asked, cookie)).location).toBeUndefined();
    expect((await get("/authorize", asked, newer)).location?.searchParams.has("code")).toBe(true);
  });
});

describe("a code", () => {
  it("is worth tokens of the user", async () => {
    const { code } = await signIn("bob");
    const { status, access_token, id_token } = await exchange(code);
    expect(status).toBe(200);
    expect(decodeJwt(access_token)).toMatchObject({
      iss: url,
      aud: "the-api",
      sub: "bob",
      preferred_username: "bob",
    });
    expect(decodeJwt(id_token)).toMatchObject({ iss: url, aud: "app", sub: "bob", nonce: "the-nonce" });
  });

  it("works once, and ends the tokens of its first use at the second", async () => {
    const { code } = await signIn();
    const { refresh_token } = await exchange(code);
    expect(await exchange(code)).toMatchObject(refused);
    expect(await renew(refresh_token)).toMatchObject(refused);
  });

  it.each<[string, Fields]>([
    ["verifier", { code_verifier: randomBytes(32).toString("base64url") }],
    ["verifier, which is missing", { code_verifier: undefined }],
    ["page", { redirect_uri: "http://localhost:3000/app/" }],
    ["client", { client_id: "other" }],
  ])("is used up by a request with another %s", async (_, changed) => {
    const { code } = await signIn();
    expect(await exchange(code, changed)).toMatchObject(refused);
    expect(await exchange(code)).toMatchObject(refused);
  });

  it("works for a minute", async () => {
    const [early, late] = [await signIn(), await signIn()];
    nowMs += 60_000;
    expect((await exchange(early.code)).status).toBe(200);
    nowMs += 1;
    expect(await exchange(late.code)).toMatchObject(refused);
  });

  it("brings a refresh token only to those who ask for one", async () => {
    const { code } = await signIn("alice", { scope: "openid" });
    expect(await exchange(code)).not.toHaveProperty("refresh_token");
  });
});

describe("a refresh token", () => {
  it("is replaced at each use, and tells when the user signed in", async () => {
    const { code } = await signIn();
    const first = await exchange(code);
    nowMs += 600_000;
    const second = await renew(first.refresh_token);
    const third = await renew(second.refresh_token);
    expect(new Set([first, second, third].map((each) => each.refresh_token)).size).toBe(3);
    const { auth_time, iat = 0 } = decodeJwt(third.access_token);
    expect(auth_time).toBe(iat - 600);
    expect(decodeJwt(third.id_token)).not.toHaveProperty("nonce");
  });

  it("works for some seconds more, for a page that has lost the answer", async () => {
    const { refresh_token } = await exchange((await signIn()).code);
    await renew(refresh_token);
    nowMs += 10_000;
    expect((await renew(refresh_token)).status).toBe(200);
  });

  it("ends all tokens of the sign-in if it is used later again", async () => {
    const { refresh_token } = await exchange((await signIn()).code);
    const next = await renew(refresh_token);
    nowMs += 10_001;
    expect(await renew(refresh_token)).toMatchObject(refused);
    expect(await renew(next.refresh_token)).toMatchObject(refused);
  });

  it.each(["", "made.up", "x", "__proto__.x"])("cannot be guessed as %j", async (token) => {
    await exchange((await signIn()).code);
    expect(await renew(token)).toMatchObject(refused);
  });

  it("works for its client alone, for 30 days, and after a restart", async () => {
    const kept = new Map<string, string>();
    const store: Store = {
      load: (name) => JSON.parse(kept.get(name) ?? "null") ?? undefined,
      save: (name, content) => void kept.set(name, JSON.stringify(content)),
    };
    start(store);
    const { refresh_token } = await exchange((await signIn()).code);
    expect(await renew(refresh_token, "other")).toMatchObject(refused);
    start(store);
    const next = await renew(refresh_token);
    expect(next.status).toBe(200);
    nowMs += 30 * 86_400_000 + 1;
    expect(await renew(next.refresh_token)).toMatchObject(refused);
  });

  it("can be revoked, by its client alone", async () => {
    const { refresh_token: token } = await exchange((await signIn()).code);
    await post("/revoke", { client_id: "other", token });
    const next = await renew(token);
    expect(next.status).toBe(200);
    expect((await post("/revoke", { client_id: "app", token: next.refresh_token })).status).toBe(200);
    expect(await renew(next.refresh_token)).toMatchObject(refused);
  });
});

describe("the token endpoint for clients", () => {
  it.each<[string, Fields, string]>([
    ["an unknown client", { client_id: "stranger", grant_type: "refresh_token" }, "invalid_client"],
    ["a password", { client_id: "app", grant_type: "password" }, "unsupported_grant_type"],
  ])("refuses %s", async (_, fields, error) => {
    const { status, text } = await post("/oauth/token", fields);
    expect([status, JSON.parse(text)]).toMatchObject([400, { error }]);
  });

  it("refuses other types of content", async () => {
    expect((await send("POST", "/oauth/token", { "content-type": "application/json" }, "{}")).status).toBe(
      415,
    );
  });

  it("lets only pages of clients read its answers", async () => {
    const allowed = async (origin: string) =>
      (await post("/oauth/token", {}, { origin })).headers.get("access-control-allow-origin");
    expect(await allowed("http://localhost:5173")).toBe("http://localhost:5173");
    expect(await allowed("https://evil.example")).toBeUndefined();
  });
});

describe("the sign-out", () => {
  it("ends the browser's sign-in and returns to the page, if the page proves that it is the client", async () => {
    const { code, cookie } = await signIn();
    const { id_token } = await exchange(code);
    nowMs += 3_600_000;
    const { location, headers } = await get(
      "/logout",
      { client_id: "app", post_logout_redirect_uri: page, id_token_hint: id_token },
      cookie,
    );
    expect(location?.href).toBe(page);
    expect(headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await get("/authorize", asked, cookie)).location).toBeUndefined();
  });

  it("asks the user otherwise", async () => {
    const { cookie, code } = await signIn();
    const { access_token } = await exchange(code);
    const asking = await get(
      "/logout",
      { client_id: "app", post_logout_redirect_uri: page, id_token_hint: access_token },
      cookie,
    );
    expect([asking.status, asking.location]).toEqual([200, undefined]);
    expect((await get("/authorize", asked, cookie)).location).toBeDefined();
    const sure = await post(
      "/logout",
      { client_id: "app", post_logout_redirect_uri: page, sure: "yes" },
      { cookie },
    );
    expect(sure.location?.href).toBe(page);
    expect((await get("/authorize", asked, cookie)).location).toBeUndefined();
  });

  it("returns to no other page", async () => {
    const { location, text } = await post("/logout", {
      client_id: "app",
      post_logout_redirect_uri: "https://evil.example/",
    });
    expect(location).toBeUndefined();
    expect(text).toContain("You are signed out");
  });
});
