import { describe, expect, it } from "vitest";
import { connectionAuthorizer, restAuthorizer } from "../../lib/runtime/authorizer.ts";
import { outsider, requestOrigin } from "../../lib/runtime/request-origin.ts";
import { authorizerEvent, type Headers } from "../support/events.ts";

const originKey = "Z4".repeat(24);
/** Headers of a viewer's request as the edge passes them to the authorizer. */
const edgeHeaders: Headers = {
  "x-origin-key": originKey,
  "X-Forwarded-For": "10.0.0.1, 203.0.113.7, 130.176.0.1",
};
const newerKey = "Q7".repeat(24);
const originKeys = [originKey, newerKey];
const originOf = (headers: Headers, edgeOnly = true, keys = originKeys) =>
  requestOrigin(authorizerEvent(headers), { originKeys: keys, edgeOnly });

describe("requestOrigin", () => {
  it("uses the address that the edge added, and ignores an address that a client sends", () => {
    expect(originOf(edgeHeaders)).toEqual({ clientIp: "203.0.113.7", isAllowed: true });
    const v6 = { ...edgeHeaders, "X-Forwarded-For": ["x", "2001:db8::1", "130.176.0.1"] };
    expect(originOf(v6).clientIp).toBe("2001:db8::1");
  });

  it("uses the source's address for requests that bypass the edge", () => {
    const { "X-Forwarded-For": forwarded = "" } = edgeHeaders;
    const direct = { "X-Forwarded-For": forwarded };
    expect(originOf(direct, false)).toEqual({ clientIp: "192.0.2.9", isAllowed: true });
    expect(originOf(edgeHeaders, false, [])).toEqual({ clientIp: "192.0.2.9", isAllowed: true });
  });

  it.each(originKeys)("accepts each of several origin keys, as while one replaces another: %s", (key) => {
    const headers = { ...edgeHeaders, "x-origin-key": key };
    expect(originOf(headers)).toEqual({ clientIp: "203.0.113.7", isAllowed: true });
  });

  it("reports no address that would break a line of JSON", () => {
    const forwarded = { ...edgeHeaders, "X-Forwarded-For": 'x, a"b, 130.176.0.1' };
    expect(originOf(forwarded).clientIp).toBe("unknown");
    expect(originOf({ "x-origin-key": originKey }).clientIp).toBe("unknown");
  });

  it.each<[string, Headers]>([
    ["no key", {}],
    ["an empty key", { "x-origin-key": "" }],
    ["another key", { "x-origin-key": `${originKey.slice(1)}x` }],
    ["a part of the key", { "x-origin-key": originKey.slice(1) }],
    ["two keys", { "x-origin-key": [originKey, newerKey] }],
    ["two keys as one value", { "x-origin-key": originKeys.join() }],
    ["the key twice", { "x-origin-key": [originKey, originKey] }],
    ["the key in another header", { "x-origin-keys": originKey }],
  ])("refuses requests with %s if all requests must come from the edge", (_, headers) => {
    expect(originOf(headers).isAllowed).toBe(false);
    expect(originOf(headers, false).isAllowed).toBe(true);
  });
});

describe.each([
  ["restAuthorizer", restAuthorizer, "Allow"],
  ["connectionAuthorizer", connectionAuthorizer, "Deny"],
] as const)("%s if all requests must come from the edge", (_, make, Effect) => {
  const asked: string[] = [];
  const authorize = make({
    cookies: { cookieName: "access_token", bareCookie: false },
    strangerKey: async () => "key",
    scopes: {},
    useToken: async () => true,
    allowedOrigins: [],
    origin: { originKeys, edgeOnly: true },
    verify: async (token) => {
      asked.push(token);
      return { sub: "alice", exp: 2_000_000_000 };
    },
    admit: async () => ({ key: "a key", plan: { name: "Pro", requestsPerMinute: 5000 } }),
  });
  const Authorization = "Bearer secret-token";

  it("refuses requests that bypass the edge without reading their token, and passes no API key, without which no method runs", async () => {
    expect(await authorize(authorizerEvent({ Authorization }))).toEqual({
      principalId: outsider,
      policyDocument: { Version: "2012-10-17", Statement: [expect.objectContaining({ Effect })] },
      context: { loggedUser: outsider, clientIp: "192.0.2.9", forbidden: expect.any(String) },
    });
    expect(asked).toEqual([]);
  });

  it("allows requests from the edge, with the client's address for the access log", async () => {
    expect(await authorize(authorizerEvent({ ...edgeHeaders, Authorization }))).toMatchObject({
      principalId: "alice",
      context: { clientIp: "203.0.113.7" },
      usageIdentifierKey: "a key",
    });
  });
});
