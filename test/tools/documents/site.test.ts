import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../lib/tools/documents/documents.ts";
import { siteFiles } from "../../../lib/tools/documents/site/site.ts";

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

  it("writes pages for both documents and nothing outside the folder", () => {
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

  it("links only to files that it also writes", () => {
    const links = pages.flatMap(([, html]) =>
      [...html.matchAll(/(?:href|src|spec-url)="(?!data:)(.*?)"/g)].map(([, target = ""]) => target),
    );
    expect(links.length).toBeGreaterThan(8);
    const names = [...files.keys()].map((path) => basename(path));
    expect(names).toEqual(expect.arrayContaining(links));
  });

  it("removes Redoc's logo, which another host serves", () => {
    const script = files.get("folder/redoc.js") ?? "";
    expect(script).toContain("`data:,`");
    expect(script).not.toContain("cdn.redoc.ly");
  });

  it.each(pages)("prevents %s from loading other sites' content and running inline scripts", (_, html) => {
    expect(html).toContain("default-src 'none'; script-src 'self';");
    expect(html).not.toMatch(/<script(?! type="module" src="redoc\.js"><)/);
  });
});

describe("siteFiles", () => {
  it("uses the serving runner's addresses, even if its port is the usual one of streams", () => {
    const ports = { port: 3001, streamPort: 4100 };
    const files = siteFiles((name) => readFileSync(`docs/${name}`, "utf8"), ports);
    const [rest, streams] = ["openapi.json", "asyncapi.json"].map((name) => files.get(name)?.body.toString());
    expect(rest).toContain("export BASE_URL=http://127.0.0.1:3001");
    expect(rest).toContain("npm run -s token -- --port 3001 --user alice");
    expect(streams).toContain('"host": "127.0.0.1:4100"');
    expect(rest + (streams ?? "")).not.toContain("127.0.0.1:3000");
  });
});
