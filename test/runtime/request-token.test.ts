import { describe, expect, it } from "vitest";
import { connectionTokens, requestTokens } from "../../lib/runtime/request-token.ts";
import { authorizerEvent, type Headers } from "../support/events.ts";

const ours = "https://app.example";
const cookies = { cookieName: "access_token", bareCookie: false };

describe("requestTokens", () => {
  const tokensOf = (headers: Headers) => requestTokens(authorizerEvent(headers), cookies);

  it.each([
    ["in the header", { Authorization: "Bearer a.b.c" }, "a.b.c"],
    ["in the header, in any case", { authorization: "bearer a.b.c" }, "a.b.c"],
    ["in the cookie", { Cookie: "__Host-access_token=a.b.c" }, "a.b.c"],
    [
      "in one cookie of several",
      { cookie: "x=1; __Host-access_token=a.b.c; __Host-access_token2=no" },
      "a.b.c",
    ],
    [
      "in the header, before the cookie",
      { Authorization: "Bearer a.b.c", Cookie: "__Host-access_token=d.e.f" },
      "a.b.c",
    ],
  ])("finds the token %s", (_, headers, token) => {
    expect(tokensOf(headers)).toEqual([token]);
  });

  it.each([
    ["no header or cookie", {}],
    ["another cookie", { Cookie: "session=a.b.c; x__Host-access_token=d.e.f" }],
    ["a cookie without the prefix", { Cookie: "access_token=a.b.c" }],
    ["an empty cookie", { Cookie: "__Host-access_token=" }],
  ])("finds no token with %s", (_, headers) => {
    expect(tokensOf(headers)).toEqual([]);
  });

  it.each([
    ["another scheme", { Authorization: "Basic YTpi" }],
    ["no scheme", { Authorization: "a.b.c" }],
    ["nothing after the scheme", { Authorization: "Bearer " }],
    ["two words after the scheme", { Authorization: "Bearer a.b.c d" }],
    ["an empty header, even with a good cookie", { Authorization: "", Cookie: "__Host-access_token=a.b.c" }],
    ["two headers", { Authorization: ["Bearer a.b.c", "Bearer a.b.c"] }],
    ["two headers of different case", { Authorization: "Bearer a.b.c", authorization: "Bearer d.e.f" }],
  ])("returns an empty token for %s", (_, headers) => {
    expect(tokensOf(headers)).toEqual([""]);
  });
});

describe("requestTokens with several cookies", () => {
  const ofCookies = (Cookie: string | string[], bareCookie: boolean) =>
    requestTokens(authorizerEvent({ Cookie }), { cookieName: "access_token", bareCookie });

  it.each([
    ["each", "__Host-access_token=a; __Host-access_token=b", false, ["a", "b"]],
    ["each once", "__Host-access_token=a; __Host-access_token=a", false, ["a"]],
    ["those of several headers", ["__Host-access_token=a", "__Host-access_token=b"], false, ["a", "b"]],
    ["only those with the prefix", "access_token=a; __Host-access_token=b", false, ["b"]],
    ["those with the prefix first", "access_token=a; __Host-access_token=b", true, ["b", "a"]],
    ["four at most", [..."abcdef"].map((each) => `access_token=${each}`), true, ["a", "b", "c", "d"]],
    [
      "ignores a cookie whose name only resembles the prefixed one",
      "\u00a0__Host-access_token=a; \u2000__Host-access_token=b; \ufeff__Host-access_token=c; \t__Host-access_token=d ",
      false,
      ["d"],
    ],
    ["none that is empty", "__Host-access_token=; access_token=; access_token=a", true, ["a"]],
  ])("lists the tokens of several cookies: %s", (_, cookie, bareCookie, tokens) => {
    expect(ofCookies(cookie, bareCookie)).toEqual(tokens);
  });
});

describe("connectionTokens", () => {
  const tokensOf = (headers: Headers) =>
    connectionTokens(authorizerEvent(headers), { ...cookies, allowedOrigins: [ours] });

  const header = { Authorization: "Bearer of.the.header" };
  const pair = { "Sec-WebSocket-Protocol": "access_token, of.the.pair" };
  const cookie = { Cookie: "__Host-access_token=of.the.cookie" };

  it.each<[string, Headers, string]>([
    ["the header", header, "of.the.header"],
    ["the header, before the others", { ...header, ...pair, ...cookie }, "of.the.header"],
    ["the subprotocols", pair, "of.the.pair"],
    ["the subprotocols, before the cookie", { ...pair, ...cookie }, "of.the.pair"],
    ["the subprotocols without a space", { "sec-websocket-protocol": "access_token,a.b.c" }, "a.b.c"],
    ["the subprotocols in two headers", { "sec-websocket-protocol": ["access_token", "a.b.c"] }, "a.b.c"],
    ["the cookie, from a client that is not a page", cookie, "of.the.cookie"],
    ["the cookie, from a page of an allowed origin", { ...cookie, Origin: ours }, "of.the.cookie"],
    [
      "the cookie, with other subprotocols",
      { ...cookie, "Sec-WebSocket-Protocol": "json, v2" },
      "of.the.cookie",
    ],
  ])("finds the token of %s", (_, headers, token) => {
    expect(tokensOf(headers)).toEqual([token]);
  });

  it.each<[string, Headers]>([
    ["no headers", {}],
    ["the cookie from a page of another site", { ...cookie, Origin: "https://evil.example" }],
    ["the cookie from a page without an origin", { ...cookie, origin: "null" }],
    [
      "the cookie from a site whose name begins with an allowed origin",
      { ...cookie, Origin: `${ours}.evil.example` },
    ],
    ["the cookie from an allowed origin in other case", { ...cookie, Origin: "https://APP.example" }],
    [
      "the cookie with two origins, one of them allowed",
      { ...cookie, Origin: [ours, "https://evil.example"] },
    ],
    ["other subprotocols", { "Sec-WebSocket-Protocol": "json" }],
    ["a token as the only subprotocol", { "Sec-WebSocket-Protocol": "a.b.c" }],
    ["a pair of another name", { "Sec-WebSocket-Protocol": "Access_Token, a.b.c" }],
  ])("finds no token with %s", (_, headers) => {
    expect(tokensOf(headers)).toEqual([]);
  });

  it.each<[string, Headers]>([
    ["a bad header with a good pair and cookie", { ...pair, ...cookie, Authorization: "Basic YTpi" }],
    ["an empty header with a good pair", { ...pair, Authorization: "" }],
    ["half a pair, even with a good cookie", { ...cookie, "Sec-WebSocket-Protocol": "access_token" }],
    ["half a pair and a comma", { "Sec-WebSocket-Protocol": "access_token," }],
    ["the pair in reverse order", { "Sec-WebSocket-Protocol": "a.b.c, access_token" }],
    ["more than a pair", { "Sec-WebSocket-Protocol": "access_token, a.b.c, json" }],
    ["something before the pair", { "Sec-WebSocket-Protocol": "json, access_token, a.b.c" }],
    [
      "two pairs in two headers",
      { "Sec-WebSocket-Protocol": ["access_token, a.b.c", "access_token, a.b.c"] },
    ],
  ])("returns an empty token for %s", (_, headers) => {
    expect(tokensOf(headers)).toEqual([""]);
  });
});
