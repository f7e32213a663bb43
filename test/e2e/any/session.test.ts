import { describe, expect, it } from "vitest";
import { deployment } from "../support/deployment.ts";
import { someUser } from "../support/users.ts";

const user = someUser();

/** Calls `fetch` directly, because recorded responses are searched for secrets and this cookie is one. */
const session = (method: "POST" | "DELETE", headers: Record<string, string>) =>
  fetch(`${deployment().baseUrl}/api/v2/session`, {
    method,
    headers: { ...headers, ...(method === "POST" && { "Content-Type": "application/json" }) },
    ...(method === "POST" && { body: "{}" }),
  });

const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((cookie) => cookie.split("; "));
const ended = (name: string) => [`${name}=`, "Path=/", "Max-Age=0", "HttpOnly", "Secure", expect.any(String)];

describe("a session", () => {
  it("signs in to the API with a cookie that cannot renew itself and can be removed", async () => {
    const started = await session("POST", { Authorization: `Bearer ${user.token}` });
    const [[cookie = "", ...attributes] = [], ...more] = cookiesOf(started);

    expect(started.status).toBe(204);
    expect(more).toEqual([]);
    expect(cookie).toMatch(/^__Host-\S+=ey/);
    expect(await started.text()).toBe("");
    expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "Secure"]));
    const maxAge = Number(attributes.find((each) => each.startsWith("Max-Age="))?.slice(8));
    expect(maxAge).toBeGreaterThan(0);
    const signedIn = await fetch(`${deployment().baseUrl}/getUserData`, { headers: { Cookie: cookie } });
    expect(await signedIn.json()).toMatchObject({ userID: user.id });

    const renewed = await session("POST", { Cookie: cookie });
    expect([renewed.status, renewed.headers.has("Set-Cookie")]).toEqual([401, false]);

    const name = cookie.split("=")[0] ?? "";
    const answer = await session("DELETE", { Cookie: cookie });
    expect(answer.status).toBe(204);
    expect(cookiesOf(answer)).toEqual([ended(name), ended(name.slice("__Host-".length))]);
  });

  it("requires a token to start a session", async () => {
    const answer = await session("POST", {});
    expect([answer.status, await answer.json()]).toEqual([401, { error: "No token provided" }]);
  });

  it.each([
    ["no token", {}],
    ["a bad cookie", { Cookie: "__Host-access_token=garbage" }],
    ["a bad token in the header", { Authorization: "Bearer garbage" }],
  ])("ends a session with %s, because a bad cookie must not stay", async (_, headers) => {
    const answer = await session("DELETE", headers);
    expect([answer.status, cookiesOf(answer).length]).toEqual([204, 2]);
  });
});
