import { describe, expect, it } from "vitest";
import { requestToken } from "../../lib/runtime/request-token.ts";
import { authorizerEvent } from "../support/events.ts";

const tokenOf = (headers: Record<string, string | string[]>) =>
  requestToken(authorizerEvent(headers), "access_token");

describe("the token of a request", () => {
  it.each([
    ["of the header", { Authorization: "Bearer a.b.c" }, "a.b.c"],
    ["of the header in any case", { authorization: "bearer a.b.c" }, "a.b.c"],
    ["of the cookie", { Cookie: "access_token=a.b.c" }, "a.b.c"],
    ["of the cookie among others", { cookie: "x=1; access_token=a.b.c; access_token2=no" }, "a.b.c"],
    [
      "of the header, beside a cookie",
      { Authorization: "Bearer a.b.c", Cookie: "access_token=d.e.f" },
      "a.b.c",
    ],
  ])("is the one %s", (_, headers, token) => {
    expect(tokenOf(headers)).toBe(token);
  });

  it.each([
    ["no header or cookie", {}],
    ["another cookie", { Cookie: "session=a.b.c; myaccess_token=d.e.f" }],
  ])("is missing with %s", (_, headers) => {
    expect(tokenOf(headers)).toBeUndefined();
  });

  it.each([
    ["another scheme", { Authorization: "Basic YTpi" }],
    ["no scheme", { Authorization: "a.b.c" }],
    ["nothing after the scheme", { Authorization: "Bearer " }],
    ["two words after the scheme", { Authorization: "Bearer a.b.c d" }],
    ["an empty header, even beside a good cookie", { Authorization: "", Cookie: "access_token=a.b.c" }],
    ["two headers", { Authorization: ["Bearer a.b.c", "Bearer a.b.c"] }],
    ["two headers of different case", { Authorization: "Bearer a.b.c", authorization: "Bearer d.e.f" }],
    ["two cookies of the name", { Cookie: "access_token=a.b.c; access_token=d.e.f" }],
    ["an empty cookie", { Cookie: "access_token=" }],
  ])("is one that no verification passes with %s", (_, headers) => {
    expect(tokenOf(headers)).toBe("");
  });
});
