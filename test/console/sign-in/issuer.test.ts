import { describe, expect, it } from "vitest";
import { checkConfig, type SignInError } from "../../../lib/console/app/sign-in/config.ts";
import { openIssuer } from "../../../lib/console/app/sign-in/issuer.ts";
import { config, localIssuer, pageUrl, withFields } from "../support/local-issuer.ts";

type Change = Parameters<typeof localIssuer>[0];

function open(change?: Change, changed: Partial<typeof config> = {}) {
  const local = localIssuer(change);
  return { ...local, issuer: openIssuer({ ...config, ...changed }, { pageUrl, fetch: local.fetch }) };
}

const failureOf = (promise: Promise<unknown>): Promise<Pick<SignInError, "reason" | "message">> =>
  promise.then(
    () => ({ reason: "refused", message: "nothing failed" }),
    ({ reason, message }: SignInError) => ({ reason, message }),
  );

const at =
  (path: string, answer: (before: Response) => Response | Promise<Response>): Change =>
  (url, before) =>
    url.pathname.endsWith(path) ? answer(before) : before;

/** An unsigned token with these claims. */
const tokenOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.e30`;

describe("a sign-in", () => {
  it("returns a user's tokens, and renews them", async () => {
    const { issuer, signIn } = open();
    const { url, attempt } = await issuer.begin("/console/?chain=eth", false);
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: "code",
      client_id: "console",
      redirect_uri: pageUrl,
      scope: "openid offline_access",
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(url).not.toContain(attempt.verifier);
    expect(attempt.returnTo).toBe("/console/?chain=eth");

    const grant = await issuer.finish(attempt, await signIn(url, "alice"));
    expect(grant).toEqual({
      user: "alice",
      accessToken: expect.stringMatching(/^eyJ/),
      refreshToken: expect.any(String),
      idToken: expect.stringMatching(/^eyJ/),
    });
    const renewed = await issuer.renew(grant.refreshToken ?? "");
    expect(renewed.user).toBe("alice");
    expect(renewed.refreshToken).not.toBe(grant.refreshToken);
  });

  it("asks for a proof of who the user is, and for an API's tokens, if needed", async () => {
    const { issuer } = open(undefined, { audience: "the-api" });
    const { searchParams } = new URL((await issuer.begin("/", true)).url);
    expect([searchParams.get("prompt"), searchParams.get("audience")]).toEqual(["login", "the-api"]);
  });

  it("has new secrets each time", async () => {
    const { issuer } = open();
    const all = await Promise.all([issuer.begin("/", false), issuer.begin("/", false)]);
    expect(
      new Set(all.flatMap(({ attempt: { state, nonce, verifier } }) => [state, nonce, verifier])).size,
    ).toBe(6);
  });

  it.each<[string, (answer: URLSearchParams) => void, RegExp]>([
    ["has another state", (answer) => answer.set("state", "forged"), /did not come from .*127\.0\.0\.1:3000/],
    ["has no state", (answer) => answer.delete("state"), /did not come from/],
    ["names another issuer", (answer) => answer.set("iss", "https://evil.example"), /did not come from/],
    ["names no issuer", (answer) => answer.delete("iss"), /did not come from/],
    ["has an unknown code", (answer) => answer.set("code", "stolen"), /expired, or was used before/],
    ["is a mistake", (answer) => answer.set("error", "invalid_scope"), /\(invalid_scope\)\. Tell/],
    ["has another text", (answer) => answer.set("error", "<b>Call 555"), /\(no reason\)\. Tell/],
    ["says that the issuer is busy", (answer) => answer.set("error", "temporarily_unavailable"), /Try again/],
  ])("is refused if the answer %s", async (_, forge, message) => {
    const { issuer, signIn } = open();
    const { url, attempt } = await issuer.begin("/", false);
    const answer = await signIn(url, "alice");
    forge(answer);
    if (answer.has("error")) answer.delete("code");
    expect((await failureOf(issuer.finish(attempt, answer))).message).toMatch(message);
  });

  it("says that the user has cancelled it", async () => {
    const { issuer, signIn } = open();
    const { url, attempt } = await issuer.begin("/", false);
    expect(await failureOf(issuer.finish(attempt, await signIn(url, undefined)))).toEqual({
      reason: "refused",
      message: "The sign-in was cancelled or refused. Sign in to try again.",
    });
  });

  it("is refused if a code comes twice, which also ends what the first one began", async () => {
    const { issuer, signIn } = open();
    const { url, attempt } = await issuer.begin("/", false);
    const answer = await signIn(url, "alice");
    const { refreshToken = "" } = await issuer.finish(attempt, answer);
    expect(await failureOf(issuer.finish(attempt, answer))).toMatchObject({ reason: "over" });
    expect(await failureOf(issuer.renew(refreshToken))).toMatchObject({ reason: "over" });
  });

  it("is refused if the code belongs to another sign-in", async () => {
    const { issuer, signIn } = open();
    const [mine, other] = [await issuer.begin("/", false), await issuer.begin("/", false)];
    const answer = await signIn(other.url, "mallory");
    answer.set("state", mine.attempt.state);
    expect(await failureOf(issuer.finish(mine.attempt, answer))).toMatchObject({ reason: "over" });
  });

  it.each<[string, Change, SignInError["reason"], RegExp]>([
    [
      "another nonce",
      at("/token", (before) => withFields(before, { id_token: tokenOf({ nonce: "x" }) })),
      "misconfigured",
      /does not accept/,
    ],
    [
      "no ID token",
      at("/token", (before) => withFields(before, { id_token: undefined })),
      "misconfigured",
      /does not accept/,
    ],
    [
      "an access token without a user",
      at("/token", (before) => withFields(before, { access_token: tokenOf({}) })),
      "misconfigured",
      /audience/,
    ],
    [
      "an opaque access token",
      at("/token", (before) => withFields(before, { access_token: "opaque" })),
      "misconfigured",
      /audience/,
    ],
    [
      "a failure",
      at("/token", () => new Response("", { status: 503 })),
      "unreachable",
      /127\.0\.0\.1:3000 does not answer/,
    ],
    ["a page", at("/token", () => new Response("<html>")), "misconfigured", /does not accept/],
  ])("is refused if the issuer's tokens are %s", async (_, change, reason, message) => {
    const { issuer, signIn } = open(change);
    const { url, attempt } = await issuer.begin("/", false);
    const failure = await failureOf(issuer.finish(attempt, await signIn(url, "alice")));
    expect(failure).toEqual({ reason, message: expect.stringMatching(message) });
    expect(failure.message).not.toMatch(/eyJ|code=/);
  });

  it.each<[string, Change, SignInError["reason"]]>([
    ["does not answer", () => Promise.reject(new TypeError("Failed to fetch")), "unreachable"],
    ["fails", () => new Response("", { status: 502 }), "unreachable"],
    [
      "is another one",
      at("configuration", (before) => withFields(before, { issuer: "https://evil.example" })),
      "misconfigured",
    ],
    ["has no discovery document", () => new Response("{}", { status: 404 }), "misconfigured"],
    [
      "has no sign-in page",
      at("configuration", (before) => withFields(before, { authorization_endpoint: undefined })),
      "misconfigured",
    ],
  ])("cannot begin if the issuer %s", async (_, change, reason) => {
    const { issuer } = open(change);
    const failure = await failureOf(issuer.begin("/", false));
    expect(failure).toEqual({
      reason,
      message: expect.stringMatching(/^The sign-in service at 127\.0\.0\.1:3000 /),
    });
  });

  it("can begin once the issuer answers again", async () => {
    let isDown = true;
    const { issuer } = open((_, before) => (isDown ? new Response("", { status: 500 }) : before));
    await failureOf(issuer.begin("/", false));
    isDown = false;
    expect((await issuer.begin("/", false)).url).toContain("/authorize?");
  });
});

describe("a sign-out", () => {
  it("leads to the issuer's page, and back", async () => {
    const { issuer, fetch, signIn } = open();
    const { url, attempt } = await issuer.begin("/", false);
    const { idToken } = await issuer.finish(attempt, await signIn(url, "alice"));
    const answer = await fetch((await issuer.signOutUrl(idToken)) ?? "");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, pageUrl]);
  });

  it("makes the refresh token worthless", async () => {
    const { issuer, signIn } = open();
    const { url, attempt } = await issuer.begin("/", false);
    const { refreshToken = "" } = await issuer.finish(attempt, await signIn(url, "alice"));
    await issuer.revoke(refreshToken);
    expect(await failureOf(issuer.renew(refreshToken))).toMatchObject({ reason: "over" });
  });

  it("ends on this page if the issuer has no page for it", async () => {
    const { issuer } = open(
      at("configuration", (before) => withFields(before, { end_session_endpoint: undefined })),
    );
    expect(await issuer.signOutUrl(undefined)).toBeUndefined();
  });

  it("names the page to Cognito in Cognito's own way", async () => {
    const pool = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_pool";
    const domain = "https://terminal.auth.eu-central-1.amazoncognito.com";
    const metadata = {
      issuer: pool,
      authorization_endpoint: `${domain}/oauth2/authorize`,
      token_endpoint: `${domain}/oauth2/token`,
    };
    const fetch = async () => Response.json(metadata);
    const issuer = openIssuer({ ...config, issuer: pool }, { pageUrl, fetch });
    const url = new URL((await issuer.signOutUrl("eyJ")) ?? "");
    expect(url.origin + url.pathname).toBe(`${domain}/logout`);
    expect(Object.fromEntries(url.searchParams)).toEqual({ client_id: "console", logout_uri: pageUrl });
  });
});

describe("the configuration", () => {
  it("takes https issuers, and others on this machine", () => {
    for (const issuer of [config.issuer, "https://login.example/tenant", "http://localhost:1/x"])
      expect(checkConfig({ ...config, issuer, audience: "api" })).toMatchObject({ issuer });
  });

  it("takes sites to link to", () => {
    const links = {
      docs: "/docs/",
      explorers: { eth: "https://etherscan.io", sol: "http://127.0.0.1:5100" },
    };
    expect(checkConfig({ ...config, ...links })).toMatchObject(links);
  });

  it.each<[string, unknown, RegExp]>([
    ["that is a list", [], /must be an object/],
    ["that is missing", undefined, /must be an object/],
    ["without an issuer", { ...config, issuer: undefined }, /issuer .*text/],
    ["with an unsafe issuer", { ...config, issuer: "http://login.example" }, /issuer .*https/],
    ["with a script as issuer", { ...config, issuer: "javascript:alert(1)" }, /issuer .*https/],
    ["with a query in the issuer", { ...config, issuer: "https://login.example/?a=b" }, /issuer .*https/],
    ["without a client", { ...config, clientId: "" }, /clientId .*text/],
    ["without openid", { ...config, scope: "email openidx" }, /scope .*openid/],
    ["with an empty audience", { ...config, audience: " " }, /audience .*text/],
    ["with a script as a link", { ...config, docs: "javascript:alert(1)" }, /docs .*path/],
    ["with a page of another host as a path", { ...config, docs: "//evil.example/" }, /docs .*path/],
    ["with text as explorers", { ...config, explorers: "https://a.example" }, /explorers .*object/],
    ["with a script as an explorer", { ...config, explorers: { eth: "data:," } }, /explorers.eth .*URL/],
    ["with a secret", { ...config, clientSecret: "s" }, /unknown field clientSecret/],
  ])("is refused %s", (_, value, message) => {
    expect(() => checkConfig(value)).toThrow(message);
  });
});
