import { describe, expect, it } from "vitest";
import { deployment } from "../support/deployment.ts";
import { someUser } from "../support/users.ts";

const user = someUser();

/** Not recorded for the search for secrets, because the cookie is a secret itself. */
const session = (method: "POST" | "DELETE", headers: Record<string, string>) =>
  fetch(`${deployment().baseUrl}/api/v2/session`, {
    method,
    headers: { ...headers, ...(method === "POST" && { "Content-Type": "application/json" }) },
    ...(method === "POST" && { body: "{}" }),
  });

const attributesOf = (answer: Response) => answer.headers.get("Set-Cookie")?.split("; ") ?? [];

describe("a session", () => {
  it("is a cookie that signs in to the API, cannot renew itself, and can be removed", async () => {
    const started = await session("POST", { Authorization: `Bearer ${user.token}` });
    const [cookie = "", ...attributes] = attributesOf(started);

    expect(started.status).toBe(204);
    expect(await started.text()).toBe("");
    expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "Secure"]));
    const maxAge = Number(attributes.find((each) => each.startsWith("Max-Age="))?.slice(8));
    expect(maxAge).toBeGreaterThan(0);
    const signedIn = await fetch(`${deployment().baseUrl}/getUserData`, { headers: { Cookie: cookie } });
    expect(await signedIn.json()).toMatchObject({ userID: user.id });

    const renewed = await session("POST", { Cookie: cookie });
    expect([renewed.status, renewed.headers.has("Set-Cookie")]).toEqual([401, false]);

    const ended = await session("DELETE", { Cookie: cookie });
    expect(ended.status).toBe(204);
    expect(attributesOf(ended)).toEqual(expect.arrayContaining([`${cookie.split("=")[0]}=`, "Max-Age=0"]));
  });

  it("does not start or end without a token", async () => {
    for (const method of ["POST", "DELETE"] as const) {
      const answer = await session(method, {});
      expect([answer.status, await answer.json()]).toEqual([401, { error: "No token provided" }]);
    }
  });
});
