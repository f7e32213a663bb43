import "./environment.ts";
import { describe, expect, it } from "vitest";
import { handler as endSession } from "../../functions/endSession/handler.ts";
import { handler as startSession } from "../../functions/startSession/handler.ts";
import { quietConsole } from "../support/console.ts";
import { type Headers, restEvent } from "../support/events.ts";

const logged = quietConsole();

const token = "head.body-of_the.signature";
const bearer = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };

/** Requests a session with a token that is valid for this many seconds. Returns the response. */
function start(request: { headers?: Headers; body?: unknown; seconds?: number | undefined } = {}) {
  const { headers, body, seconds } = { headers: bearer, body: {}, seconds: 900, ...request };
  const event = restEvent({ headers, body });
  const expiresAt = seconds === undefined ? undefined : String(Math.floor(Date.now() / 1000) + seconds);
  Object.assign(event.requestContext, { authorizer: { principalId: "alice", expiresAt } });
  return startSession(event);
}

const maxAgeOf = (cookie: unknown) => Number(/; Max-Age=(\d+);/.exec(String(cookie))?.[1]);

describe("startSession", () => {
  it("responds with 204 and a cookie that only the API's own site sends and no page can read", async () => {
    const { statusCode, headers, body } = await start();
    expect({ statusCode, body }).toEqual({ statusCode: 204, body: "" });
    expect(headers).toEqual({
      "Cache-Control": "no-store",
      "Set-Cookie": expect.stringMatching(
        /^__Host-access_token=head\.body-of_the\.signature; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$/,
      ),
      Vary: "Origin",
    });
  });

  it("keeps the cookie as long as the token is valid", async () => {
    const { headers } = await start();
    expect([899, 900]).toContain(maxAgeOf(headers?.["Set-Cookie"]));
    const late = await start({ seconds: -3 });
    expect(maxAgeOf(late.headers?.["Set-Cookie"])).toBe(0);
  });

  it("lets pages of an allowed origin start a session", async () => {
    const { headers } = await start({ headers: { ...bearer, Origin: "https://app.example" } });
    expect(headers).toMatchObject({
      "Access-Control-Allow-Origin": "https://app.example",
      "Access-Control-Allow-Credentials": "true",
    });
  });

  it("responds with 401 to a token from the cookie, because sessions would otherwise never end", async () => {
    const headers = { Cookie: `__Host-access_token=${token}`, "Content-Type": "application/json" };
    const answer = await start({ headers: headers });
    expect(answer).toMatchObject({ statusCode: 401, body: '{"error":"No token provided"}' });
    expect(answer.headers).not.toHaveProperty("Set-Cookie");
  });

  it.each([
    ["no type", 415, { Authorization: bearer.Authorization }, {}],
    ["the type of a form", 415, { ...bearer, "Content-Type": "text/plain" }, {}],
    ["no body", 400, bearer, null],
    ["a field", 400, bearer, { token }],
  ])("sets no cookie for a request with %s", async (_, status, headers, body) => {
    const answer = await start({ headers: headers, body });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).not.toHaveProperty("Set-Cookie");
    expect(answer.body).not.toContain(token);
  });

  it("refuses a token that browsers would silently drop", async () => {
    const fits = "x".repeat(4096 - "__Host-access_token".length);
    expect(await start({ headers: { ...bearer, Authorization: `Bearer ${fits}` } })).toMatchObject({
      statusCode: 204,
    });
    const { statusCode, body } = await start({ headers: { ...bearer, Authorization: `Bearer ${fits}x` } });
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).error.message).toBe(
      "The token is too long for a cookie: with its name, at most 4096 bytes",
    );
  });

  it("throws if the authorizer provides no expiry of the token, and logs no token", async () => {
    expect(await start({ seconds: undefined })).toMatchObject({ statusCode: 500 });
    expect(JSON.stringify(logged())).not.toContain(token);
  });
});

describe("endSession", () => {
  it("responds with 204 and removes the cookie, both with the `__Host-` prefix and without it", async () => {
    const { statusCode, headers, multiValueHeaders, body } = await endSession(restEvent({ headers: {} }));
    expect({ statusCode, body }).toEqual({ statusCode: 204, body: "" });
    expect(headers).not.toHaveProperty("Set-Cookie");
    expect(multiValueHeaders).toEqual({
      "Set-Cookie": [
        "__Host-access_token=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict",
        "access_token=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict",
      ],
    });
  });
});
