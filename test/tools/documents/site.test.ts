import { globSync, readFileSync } from "node:fs";
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

/** Pages of the docs. */
const markdown = globSync("docs/*.md").map((path) => basename(path));

describe("npm run documents -- --site", async () => {
  const files = await site();
  const pages = [...files].filter(([path]) => path.endsWith(".html"));

  it("writes pages for both documents and nothing outside the folder", () => {
    expect([...files.keys()].toSorted()).toEqual(
      [
        ...markdown.map((name) => `folder/${name}`),
        "folder/asyncapi.json",
        "folder/index.html",
        "folder/llms.txt",
        "folder/openapi.json",
        "folder/redoc.js",
        "folder/reference.css",
        "folder/rest.html",
        "folder/streams.html",
      ].toSorted(),
    );
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

describe("the documents for programs", () => {
  const files = siteFiles();
  const text = (name: string) => files.get(name)?.body.toString() ?? "";
  const llms = text("llms.txt");
  const [head = "", ...sections] = llms.split(/^## /m);

  it("begin with llms.txt, which has a title, a summary, sections, and only lists of links with notes", () => {
    expect(head).toMatch(/^# .+\n\n> .+\n\n(\S.+\n)+\n$/);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(["For programs", "Optional"]);
    const lines = sections.flatMap((section) => section.trimEnd().split("\n").slice(2));
    expect(lines.filter((line) => !/^- \[[^\]]+\]\(\/docs\/[\w.-]+\): \S.+[.:]$/.test(line))).toEqual([]);
  });

  it("are complete: llms.txt names each page of the docs and both descriptions once", () => {
    const named = [...llms.matchAll(/\]\(\/docs\/(.+?)\)/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual([...markdown, "asyncapi.json", "openapi.json"].toSorted());
  });

  it("put the pages for authors of programs first, and the others into the part that agents may skip", () => {
    const [programs = "", optional = ""] = sections;
    expect(programs).toMatch(/clients\.md.*api\.md.*trading\.md.*openapi\.json/s);
    expect(optional).toContain("runbooks.md");
    expect(optional).not.toContain("api.md)");
  });

  it("have the text of each page, and links only to each other and to other sites", () => {
    for (const name of markdown) {
      const page = text(name);
      expect(page.split("\n")[0]).toBe(readFileSync(`docs/${name}`, "utf8").split("\n")[0]);
      const links = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) =>
        target.replace(/#.*/, ""),
      );
      expect(
        links.filter((target) => target !== "" && !/^https?:/.test(target) && !files.has(target)),
      ).toEqual([]);
    }
    expect(text("functions.md")).toContain("Handler: functions/authorize/handler.ts");
    expect(files.get("api.md")?.type).toBe("text/markdown; charset=utf-8");
  });
});

describe("siteFiles", () => {
  it("uses the serving runner's addresses, even if its port is the usual one of streams", () => {
    const ports = { port: 3001, streamPort: 4100 };
    const files = siteFiles(ports);
    const [rest, streams] = ["openapi.json", "asyncapi.json"].map((name) => files.get(name)?.body.toString());
    expect(rest).toContain("export BASE_URL=http://127.0.0.1:3001");
    expect(rest).toContain("npm run -s token -- --port 3001 --user alice");
    expect(streams).toContain("ws://127.0.0.1:4100`");
    expect(rest + (streams ?? "")).not.toContain("127.0.0.1:3000");
    expect(files.get("local.md")?.body.toString()).toContain("http://127.0.0.1:3001/local/coins");
  });
});
