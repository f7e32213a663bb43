import { describe, expect, it } from "vitest";
import { connectionToken } from "../../lib/runtime/connection-token.ts";
import { authorizerEvent, type Headers } from "../support/events.ts";

const ours = "https://app.example";

const tokenOf = (headers: Headers) =>
  connectionToken(authorizerEvent(headers), { cookieName: "access_token", allowedOrigins: [ours] });

const header = { Authorization: "Bearer of.the.header" };
const pair = { "Sec-WebSocket-Protocol": "access_token, of.the.pair" };
const cookie = { Cookie: "access_token=of.the.cookie" };

describe("the token of a request to connect", () => {
  it.each<[string, Headers, string]>([
    ["the header", header, "of.the.header"],
    ["the header, beside the others", { ...header, ...pair, ...cookie }, "of.the.header"],
    ["the subprotocols", pair, "of.the.pair"],
    ["the subprotocols, beside the cookie", { ...pair, ...cookie }, "of.the.pair"],
    ["the subprotocols without a space", { "sec-websocket-protocol": "access_token,a.b.c" }, "a.b.c"],
    ["the subprotocols in two headers", { "sec-websocket-protocol": ["access_token", "a.b.c"] }, "a.b.c"],
    ["the cookie, where there is no page", cookie, "of.the.cookie"],
    ["the cookie, from a page of ours", { ...cookie, Origin: ours }, "of.the.cookie"],
    [
      "the cookie, beside subprotocols that are no pair of ours",
      { ...cookie, "Sec-WebSocket-Protocol": "json, v2" },
      "of.the.cookie",
    ],
  ])("is that of %s", (_, headers, token) => {
    expect(tokenOf(headers)).toBe(token);
  });

  it.each<[string, Headers]>([
    ["nothing of it", {}],
    ["the cookie from a page of another site", { ...cookie, Origin: "https://evil.example" }],
    ["the cookie from a page of no site", { ...cookie, origin: "null" }],
    ["the cookie from a site that begins like ours", { ...cookie, Origin: `${ours}.evil.example` }],
    ["the cookie from an origin in other case", { ...cookie, Origin: "https://APP.example" }],
    ["the cookie from two pages, one of them ours", { ...cookie, Origin: [ours, "https://evil.example"] }],
    ["other subprotocols", { "Sec-WebSocket-Protocol": "json" }],
    ["a token in a subprotocol by itself", { "Sec-WebSocket-Protocol": "a.b.c" }],
    ["a pair of another name", { "Sec-WebSocket-Protocol": "Access_Token, a.b.c" }],
  ])("is missing with %s", (_, headers) => {
    expect(tokenOf(headers)).toBeUndefined();
  });

  it.each<[string, Headers]>([
    ["a bad header beside a good pair and cookie", { ...pair, ...cookie, Authorization: "Basic YTpi" }],
    ["an empty header beside a good pair", { ...pair, Authorization: "" }],
    ["half a pair, even beside a good cookie", { ...cookie, "Sec-WebSocket-Protocol": "access_token" }],
    ["half a pair and a comma", { "Sec-WebSocket-Protocol": "access_token," }],
    ["a pair the other way round", { "Sec-WebSocket-Protocol": "a.b.c, access_token" }],
    ["more than a pair", { "Sec-WebSocket-Protocol": "access_token, a.b.c, json" }],
    ["something before the pair", { "Sec-WebSocket-Protocol": "json, access_token, a.b.c" }],
    [
      "two pairs in two headers",
      { "Sec-WebSocket-Protocol": ["access_token, a.b.c", "access_token, a.b.c"] },
    ],
    ["two cookies of the name", { Cookie: "access_token=a.b.c; access_token=d.e.f" }],
  ])("is one that no verification passes with %s", (_, headers) => {
    expect(tokenOf(headers)).toBe("");
  });
});
