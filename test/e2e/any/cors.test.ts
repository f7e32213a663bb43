import { describe, expect, it } from "vitest";
import { foreignOrigins } from "../../cases/origins.ts";
import { runsAll } from "../../cases/sample.ts";
import { type Answer, get, send } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { endpoints } from "../support/endpoints.ts";
import { someUser } from "../support/users.ts";

const { allowedOrigin } = deployment();
const allowed = [allowedOrigin].filter((origin) => origin !== undefined);

const preflight = (path: string, method: string, origin: string) =>
  send("OPTIONS", path, {
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers":
        "authorization,baggage,content-type,idempotency-key,if-match,if-none-match,traceparent,x-request-id",
    },
  });

const listed = (answer: Answer, header: string): string[] =>
  (answer.headers.get(header) ?? "").split(",").map((name) => name.trim().toLowerCase());

/**
 * A browser that sends credentials accepts only the page's own origin, so a response that names a different origin
 * permits nothing.
 */
function expectNoPermission(answer: Answer, origin: string): void {
  expect(["*", origin]).not.toContain(answer.headers.get("Access-Control-Allow-Origin"));
}

function expectPermission(answer: Answer, origin: string): void {
  expect(answer.headers.get("Access-Control-Allow-Origin")).toBe(origin);
  expect(answer.headers.get("Access-Control-Allow-Credentials")).toBe("true");
  expect(listed(answer, "Vary")).toContain("origin");
}

const user = someUser();

describe.each(endpoints)("$name", ({ name, method, path, body, status }) => {
  /**
   * All endpoints share one list of origins, so one endpoint is tested with every origin, and the others with only the
   * first.
   */
  const all = runsAll() || name === "GET /listWallets";
  const foreign = foreignOrigins(allowedOrigin).slice(0, all ? undefined : 1);

  it.each(allowed)("permits the preflight of a page from %s", async (origin) => {
    const answer = await preflight(path, method, origin);

    expect([200, 204]).toContain(answer.status);
    expect(answer.text).toBe("");
    expectPermission(answer, origin);
    expect(listed(answer, "Access-Control-Allow-Methods")).toContain(method.toLowerCase());
    expect(listed(answer, "Access-Control-Allow-Headers")).toEqual(
      expect.arrayContaining([
        "authorization",
        "content-type",
        "idempotency-key",
        "if-match",
        "if-none-match",
        "traceparent",
        "x-request-id",
      ]),
    );
  });

  it.each(foreign)("refuses the preflight of a page from %s", async (origin) => {
    expectNoPermission(await preflight(path, method, origin), origin);
  });

  it.each(allowed)("lets a page from %s read the response", async (origin) => {
    const answer = await send(method, path, { token: user.token, body, headers: { Origin: origin } });

    expect(answer.status, answer.text).toBe(status);
    expectPermission(answer, origin);
    expect(listed(answer, "Access-Control-Expose-Headers")).toEqual([
      "etag",
      "ratelimit-policy",
      "retry-after",
      "idempotent-replayed",
    ]);
  });

  it.each(foreign)("hides the response from pages of %s", async (origin) => {
    const answer = await send(method, path, { token: user.token, body, headers: { Origin: origin } });

    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(answer.headers.has("Access-Control-Allow-Credentials")).toBe(false);
  });

  it("names no origin to clients that are not web pages", async () => {
    const answer = await send(method, path, { token: user.token, body });

    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });

  it.each(allowed)("lets a page from %s read a 401", async (origin) => {
    expectPermission(await send(method, path, { body, headers: { Origin: origin } }), origin);
  });

  it.each(foreign)("hides a 401 from pages of %s", async (origin) => {
    expectNoPermission(await send(method, path, { body, headers: { Origin: origin } }), origin);
  });
});

describe("an unknown path", () => {
  it.each(allowed)("lets a page from %s read the 404 of an unknown path", async (origin) => {
    const answer = await get("/nothing", { headers: { Origin: origin } });

    expect(answer.status).toBe(404);
    expectPermission(answer, origin);
  });
});
