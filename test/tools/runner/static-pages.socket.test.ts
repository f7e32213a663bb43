import { describe, expect, it } from "vitest";
import { staticPages } from "../../../lib/tools/runner/static-pages.ts";

const request = (method: string, target: string) => ({
  method,
  target,
  headers: [],
  body: Buffer.of(),
  sourceIp: "127.0.0.1",
});

const file = (text: string) => ({ type: "text/plain", body: Buffer.from(text) });
const files = new Map([
  ["index.html", file("index")],
  ["a.js", file("a")],
]);
const route = staticPages("/pages", () => files, "default-src 'none'");

async function answerTo(method: string, target: string) {
  const answer = await route(request(method, target));
  if (answer === undefined) return undefined;
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: String(answer.body) };
}

describe("staticPages", () => {
  it("serves its files, and the index for the folder, with the security policy", async () => {
    for (const [target, text] of [
      ["/pages/", "index"],
      ["/pages/a.js?x=1", "a"],
    ] as const)
      expect(await answerTo("GET", target)).toMatchObject({
        status: 200,
        text,
        headers: {
          "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options": "nosniff",
        },
      });
  });

  it("redirects a path without its trailing slash to the folder, so that relative links work", async () => {
    expect(await answerTo("GET", "/pages")).toMatchObject({ status: 308, headers: { Location: "/pages/" } });
  });

  it("serves no unknown files, other methods or paths outside the folder", async () => {
    expect(await answerTo("GET", "/pages/b.js")).toMatchObject({ status: 404 });
    expect(await answerTo("POST", "/pages/a.js")).toMatchObject({
      status: 405,
      headers: { Allow: "GET, HEAD" },
    });
    expect(await answerTo("GET", "/pagesa.js")).toBeUndefined();
  });
});
