import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../lib/tools/documents/documents.ts";

/** Returns the files that `npm run documents -- --site folder` writes. */
async function site(): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  const status = await main(["--site", "folder"], {
    read: (path) => readFileSync(path, "utf8"),
    write: (path, content) => written.set(path, String(content)),
    warn: () => {},
    templates: () => [],
  });
  expect(status).toBe(0);
  return written;
}

describe("npm run documents -- --site", async () => {
  const files = await site();
  const pages = [...files].filter(([path]) => path.endsWith(".html"));

  it("writes pages for both documents, and nothing outside the folder", () => {
    expect([...files.keys()].toSorted()).toEqual([
      "folder/asyncapi.json",
      "folder/index.html",
      "folder/openapi.json",
      "folder/redoc.js",
      "folder/reference.css",
      "folder/rest.html",
      "folder/streams.html",
    ]);
    expect(files.get("folder/openapi.json")).toBe(readFileSync("docs/openapi.json", "utf8"));
  });

  it("links only to files that it writes", () => {
    const links = pages.flatMap(([, html]) =>
      [...html.matchAll(/(?:href|src|spec-url)="(?!data:)(.*?)"/g)].map(([, target = ""]) => target),
    );
    expect(links.length).toBeGreaterThan(8);
    const names = [...files.keys()].map((path) => basename(path));
    expect(names).toEqual(expect.arrayContaining(links));
  });

  it.each(pages)("lets %s load nothing from other sites, and run no inline script", (_, html) => {
    expect(html).toContain("default-src 'none'; script-src 'self';");
    expect(html).not.toMatch(/<script(?! type="module" src="redoc\.js"><)/);
  });
});
