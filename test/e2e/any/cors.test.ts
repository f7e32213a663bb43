import { describe, expect, test } from "vitest";
import { type Answer, get, send } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { endpoints } from "../support/endpoints.ts";
import { someUser } from "../support/users.ts";

const allowed = [deployment().allowedOrigin].filter((origin) => origin !== undefined);

const foreign = [
  "https://evil.example",
  "null",
  "http://localhost",
  "http://localhost:51730",
  "http://localhost:5173.evil.example",
  "https://localhost:5173",
  "http://evil.example/http://localhost:5173",
  ...allowed.map((origin) => origin.toUpperCase()),
];

const preflight = (path: string, method: string, origin: string) =>
  send("OPTIONS", path, {
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "authorization,content-type",
    },
  });

const listed = (answer: Answer, header: string): string[] =>
  (answer.headers.get(header) ?? "").split(",").map((name) => name.trim().toLowerCase());

/** With credentials a browser accepts nothing but the page's own origin, so another origin's name tells it no. */
function expectNoPermission(answer: Answer, origin: string): void {
  expect(["*", origin]).not.toContain(answer.headers.get("Access-Control-Allow-Origin"));
}

function expectPermission(answer: Answer, origin: string): void {
  expect(answer.headers.get("Access-Control-Allow-Origin")).toBe(origin);
  expect(answer.headers.get("Access-Control-Allow-Credentials")).toBe("true");
  expect(listed(answer, "Vary")).toContain("origin");
}

describe.each(endpoints)("$name", ({ method, path, body, status }) => {
  test.each(allowed)("lets a page of %s ask first", async (origin) => {
    const answer = await preflight(path, method, origin);

    expect([200, 204]).toContain(answer.status);
    expect(answer.text).toBe("");
    expectPermission(answer, origin);
    expect(listed(answer, "Access-Control-Allow-Methods")).toContain(method.toLowerCase());
    expect(listed(answer, "Access-Control-Allow-Headers")).toEqual(
      expect.arrayContaining(["authorization", "content-type"]),
    );
  });

  test.each(foreign)("gives a page of %s no leave when it asks first", async (origin) => {
    expectNoPermission(await preflight(path, method, origin), origin);
  });

  test.each(allowed)("lets a page of %s read the answer", async (origin) => {
    const { token } = await someUser();

    const answer = await send(method, path, { token, body, headers: { Origin: origin } });

    expect(answer.status, answer.text).toBe(status);
    expectPermission(answer, origin);
  });

  test.each(foreign)("lets no page of %s read the answer", async (origin) => {
    const { token } = await someUser();

    const answer = await send(method, path, { token, body, headers: { Origin: origin } });

    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(answer.headers.has("Access-Control-Allow-Credentials")).toBe(false);
  });

  test("says nothing of origins to who is no page", async () => {
    const { token } = await someUser();

    const answer = await send(method, path, { token, body });

    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });

  test.each(allowed)("lets a page of %s read why it was refused", async (origin) => {
    expectPermission(await send(method, path, { body, headers: { Origin: origin } }), origin);
  });

  test.each(foreign)("lets no page of %s read why it was refused", async (origin) => {
    expectNoPermission(await send(method, path, { body, headers: { Origin: origin } }), origin);
  });
});

test.each(allowed)("a page of %s can read that a path is not there", async (origin) => {
  const answer = await get("/nothing", { headers: { Origin: origin } });

  expect(answer.status).toBe(404);
  expectPermission(answer, origin);
});
