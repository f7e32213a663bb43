import { describe, expect, it, vi } from "vitest";
import { restMethods } from "../../lib/operations/operations.ts";
import { UserBlocked } from "../../lib/plans/admit.ts";
import {
  type AuthorizerDeps,
  connectionAuthorizer,
  identityOf,
  restAuthorizer,
} from "../../lib/runtime/authorizer.ts";
import { type Claims, InvalidToken, tokenVerifier } from "../../lib/runtime/token-verifier.ts";
import { quietConsole } from "../support/console.ts";
import { authorizerEvent } from "../support/events.ts";

const stage = "arn:aws:execute-api:us-east-1:000000000000:api/live";
const claims: Claims = { sub: "alice", exp: 2_000_000_000 };
const restEvent = authorizerEvent({ Authorization: "Bearer secret-token" });
const connectEvent = authorizerEvent({ "Sec-WebSocket-Protocol": "access_token, secret-token" });

type Fakes = Partial<AuthorizerDeps>;

const plan = { name: "Pro", requestsPerMinute: 5000 } as const;
const admission = { key: "a key", plan };
const deps: AuthorizerDeps = {
  cookies: { cookieName: "access_token", bareCookie: false },
  origin: { originKeys: [], edgeOnly: false },
  verify: async () => claims,
  useToken: async () => true,
  admit: async () => admission,
  strangerKey: async () => "a stranger's key",
};
const authorizeRequest = (fakes: Fakes = {}) => restAuthorizer({ ...deps, scopes: {}, ...fakes });
const authorizeConnection = (fakes: Fakes = {}) =>
  connectionAuthorizer({ ...deps, allowedOrigins: ["https://app.example"], ...fakes });

const rejecting = (expired: boolean) => () =>
  Promise.reject(new InvalidToken(expired ? "expired" : "invalid"));
const failing = () => Promise.reject(new Error("secret-token at fault"));

const logged = quietConsole();

const thrownBy = async (promise: Promise<unknown>): Promise<Error> => {
  const thrown: unknown = await promise.catch((error) => error);
  if (thrown instanceof Error) return thrown;
  throw new Error("Nothing was thrown");
};

describe.each([
  ["restAuthorizer", "authorize", authorizeRequest, restEvent],
  ["connectionAuthorizer", "authorizeConnection", authorizeConnection, connectEvent],
] as const)("%s", (_, operation, authorize, event) => {
  it("names the limit of the called method next to the plan's", async () => {
    const called = { ...event, httpMethod: "POST", resource: "/api/v2/quotes" };
    const { context } = await authorize()(called);
    expect(context?.rateLimitPolicy).toBe('"pro";q=5000;w=60, "POST /api/v2/quotes";q=500;w=20');
  });

  it("allows the bearer of a valid token, and names their user, API key and plan", async () => {
    const verify = vi.fn(async () => claims);
    const admit = vi.fn(async () => admission);
    expect(await authorize({ verify, admit })(event)).toEqual({
      principalId: "alice",
      policyDocument: {
        Version: "2012-10-17",
        Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: `${stage}/*` }],
      },
      context: {
        loggedUser: "alice",
        clientIp: "192.0.2.9",
        forbidden: expect.any(String),
        expiresAt: "2000000000",
        rateLimitPolicy: '"pro";q=5000;w=60',
      },
      usageIdentifierKey: "a key",
    });
    expect(verify).toHaveBeenCalledExactlyOnceWith("secret-token", expect.anything(), expect.any(Date));
    expect(admit).toHaveBeenCalledExactlyOnceWith(claims, expect.any(Date));
  });

  it.each([
    ["auth_time, whatever the time of issue", { auth_time: 1_999_990_000, iat: 1_999_999_000 }, "1999990000"],
    ["iat of an issuer that gives no auth_time", { iat: 1_999_999_000 }, "1999999000"],
    ["nothing if auth_time is text", { auth_time: "1999990000", iat: 1_999_999_000 }, undefined],
    ["nothing if auth_time is null", { auth_time: null, iat: 1_999_999_000 }, undefined],
    ["nothing without either", {}, undefined],
  ])("takes the time of the sign-in from %s", async (_, times, signedInAt) => {
    const { context } = await authorize({ verify: async () => ({ ...claims, ...times }) })(event);
    expect(context?.signedInAt).toBe(signedInAt);
  });

  it.each([
    ['ann"}', "ann%22}"],
    ["DOMAIN\\ann", "DOMAIN%5Cann"],
    ["100%22", "100%2522"],
    ["auth0|a b.c-d_e'f", "auth0|a b.c-d_e'f"],
    ['"'.repeat(255), "%22".repeat(255)],
  ])("shows the user %s as %s in the access log", async (sub, loggedUser) => {
    const result = await authorize({ verify: async () => ({ ...claims, sub }) })(event);
    expect(result).toMatchObject({ principalId: sub, context: { loggedUser } });
    expect(JSON.parse(`{"principalId":"${result.context?.loggedUser}"}`)).toEqual({
      principalId: loggedUser,
    });
  });

  it.each([
    ["is long", `${stage}/POST/updateTradingSettings/${"x".repeat(2000)}`],
    ["holds what IAM would read", `${stage}/POST/updateTradingSettings/\${aws:username}*?`],
  ])("names the stage in its policy if the path %s", async (_, methodArn) => {
    const { policyDocument } = await authorize()({ ...event, methodArn });
    expect(policyDocument.Statement).toEqual([expect.objectContaining({ Resource: `${stage}/*` })]);
  });

  it.each<[string, Fakes]>([
    ["the issuer's keys cannot be fetched", { verify: failing }],
    ["the profile cannot be read", { admit: failing }],
  ])("throws without quoting the token or a stack trace if %s", async (_, fakes) => {
    const error = await thrownBy(authorize(fakes)(event));
    expect(error).toMatchObject({ message: "The authorizer failed", stack: "" });
    expect(logged()).toEqual([expect.objectContaining({ operation, error: "Error" })]);
    expect(JSON.stringify(logged())).not.toContain("secret-token");
  });
});

describe("restAuthorizer with several cookies", () => {
  const host = (...values: string[]) => values.map((value) => `__Host-access_token=${value}`).join("; ");
  const verify = vi.fn(async (token: string) => {
    if (token.startsWith("good")) return { ...claims, sub: token };
    if (token === "unknown") throw new Error("The issuer is down");
    throw new InvalidToken(token === "old" ? "expired" : "invalid");
  });
  const bare = { cookieName: "access_token", bareCookie: true };
  const decided = async (Cookie: string, fakes: Fakes = {}) => {
    const result = await authorizeRequest({ verify, ...fakes })(authorizerEvent({ Cookie }));
    return result.context?.unauthorized ?? result.principalId;
  };

  it.each([
    ["the first good one", host("bad", "good", "good2"), "good"],
    ["a good one after an expired one", host("old", "good"), "good"],
    ["a good one next to one that cannot be verified", host("unknown", "good"), "good"],
    ["a good fourth", host("a", "b", "c", "good"), "good"],
    ["no fifth", host("a", "b", "c", "d", "good"), '{"error":"Invalid token"}'],
    ["an expired one, if none is good", host("bad", "old"), '{"error":"Token expired","needsRefresh":true}'],
    ["none without the prefix", "access_token=good", '{"error":"No token provided"}'],
    ["none of another site's name", `${host("bad")}; access_token=good`, '{"error":"Invalid token"}'],
  ])("takes %s among several cookies", async (_, cookie, decision) => {
    expect(await decided(cookie)).toBe(decision);
  });

  it.each([
    ["alone", "access_token=good", "good"],
    ["before ours", `access_token=good; ${host("good2")}`, "good2"],
    ["next to a bad one of ours", `access_token=good; ${host("bad")}`, "good"],
  ])("accepts a cookie without the prefix if the deployment allows it: %s", async (_, cookie, decision) => {
    expect(await decided(cookie, { cookies: bare })).toBe(decision);
  });

  it("throws if no token is valid and one cannot be verified", async () => {
    await expect(decided(host("bad", "unknown"))).rejects.toThrow("The authorizer failed");
  });
});

describe("restAuthorizer on requests to end a session", () => {
  const ofSession = { httpMethod: "DELETE", resource: "/api/v2/session" };

  it.each([
    ["no token", {}, rejecting(false)],
    ["an invalid token", { Authorization: "Bearer x" }, rejecting(false)],
    ["an expired token", { Authorization: "Bearer x" }, rejecting(true)],
    ["a blocked user", { Authorization: "Bearer x" }, () => Promise.reject(new UserBlocked())],
  ])(
    "given %s, allows only the request to end the session, and counts it against a fallback key",
    async (_, headers, verify) => {
      const result = await authorizeRequest({ verify })({ ...authorizerEvent(headers), ...ofSession });
      expect(result.policyDocument.Statement).toEqual([
        { Action: "execute-api:Invoke", Effect: "Allow", Resource: `${stage}/DELETE/api/v2/session` },
      ]);
      expect(result).toMatchObject({ principalId: "anonymous", usageIdentifierKey: "a stranger's key" });
    },
  );

  it("counts the request against the user's key if the token is valid", async () => {
    expect(await authorizeRequest()({ ...restEvent, ...ofSession })).toMatchObject({
      principalId: "alice",
      usageIdentifierKey: "a key",
    });
  });

  it.each([
    { httpMethod: "POST", resource: "/api/v2/session" },
    { httpMethod: "DELETE", resource: "/api/v2/lock" },
  ])("allows no other request without a token: $httpMethod $resource", async (other) => {
    const { policyDocument } = await authorizeRequest()({ ...authorizerEvent(), ...other });
    expect(policyDocument.Statement).toMatchObject([{ Effect: "Deny" }]);
  });
});

describe("restAuthorizer on requests to revoke a program key", () => {
  const resource = "/api/v2/keys/{keyId}";

  it("counts them against a fallback key, so that a program that uses up the user's limits cannot prevent them", async () => {
    expect(await authorizeRequest()({ ...restEvent, httpMethod: "DELETE", resource })).toMatchObject({
      principalId: "alice",
      usageIdentifierKey: "a stranger's key",
    });
  });

  it("knows the path by which the API revokes a key", () => {
    expect(restMethods).toContainEqual({ name: "deleteKey", method: "DELETE", path: resource });
  });

  it.each([
    { httpMethod: "GET", resource: "/api/v2/keys" },
    { httpMethod: "DELETE", resource: "/api/v2/wallets/{walletId}/export" },
  ])("counts $httpMethod $resource against the user's key", async (other) => {
    expect(await authorizeRequest()({ ...restEvent, ...other })).toMatchObject({
      usageIdentifierKey: "a key",
    });
  });
});

describe("a blocked user", () => {
  const admit = () => Promise.reject(new UserBlocked());

  it("refuses a blocked user like a missing token, with the reason in the body", async () => {
    const { policyDocument, context } = await authorizeRequest({ admit })(restEvent);
    expect(policyDocument.Statement).toMatchObject([{ Effect: "Deny" }]);
    expect(JSON.parse(String(context?.unauthorized))).toEqual({ error: "This user is blocked" });
    await expect(authorizeConnection({ admit })(connectEvent)).rejects.toThrow(/^Unauthorized$/);
    expect(logged()).toEqual([]);
  });
});

describe("restAuthorizer", () => {
  it.each([
    ["no token", authorizerEvent(), rejecting(false), { error: "No token provided" }],
    ["an invalid token", restEvent, rejecting(false), { error: "Invalid token" }],
    ["an expired token", restEvent, rejecting(true), { error: "Token expired", needsRefresh: true }],
  ])(
    "denies a request with %s, and passes the body of the 401 as context",
    async (_, request, verify, body) => {
      const result = await authorizeRequest({ verify })(request);
      expect(result.policyDocument.Statement).toEqual([expect.objectContaining({ Effect: "Deny" })]);
      expect(JSON.parse(String(result.context?.unauthorized))).toEqual(body);
      expect(logged()).toEqual([]);
    },
  );
});

describe("connectionAuthorizer", () => {
  const real = tokenVerifier({
    issuer: "https://id.example",
    audience: "a",
    jwksUri: "https://id.example/keys",
    maxTokenSeconds: 90_000,
  });

  it.each<[string, ReturnType<typeof authorizerEvent>, Fakes]>([
    ["no token", authorizerEvent(), { verify: rejecting(false) }],
    ["an invalid token", connectEvent, { verify: rejecting(false) }],
    ["an expired token", connectEvent, { verify: rejecting(true) }],
    ["text that is not a token", connectEvent, { verify: real }],
    ["half a pair", authorizerEvent({ "Sec-WebSocket-Protocol": "access_token" }), { verify: real }],
    [
      "the cookie, from a page of another site",
      authorizerEvent({ Cookie: "__Host-access_token=secret-token", Origin: "https://evil.example" }),
      {},
    ],
  ])("throws exactly Unauthorized for %s, and logs nothing", async (_, request, fakes) => {
    const admit = vi.fn(async () => admission);
    const error = await thrownBy(authorizeConnection({ ...fakes, admit })(request));
    expect(error).toMatchObject({ message: "Unauthorized", stack: "" });
    expect(Object.values(error)).toEqual([]);
    expect(admit).not.toHaveBeenCalled();
    expect(logged()).toEqual([]);
  });
});

describe("identityOf", () => {
  it("takes the user from the subject, the name in order of preference, and the referral code", () => {
    const named = { preferred_username: "Ann", nickname: "annie", username: "ann1", ref: "CODE" };
    expect(identityOf({ ...claims, ...named })).toEqual({
      userID: "alice",
      names: ["Ann", "annie", "ann1"],
      ref: "CODE",
    });
  });

  it("ignores a username that repeats the subject", () => {
    expect(identityOf({ ...claims, username: "alice" }).names).toEqual([undefined, undefined, undefined]);
  });
});
