import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { buildConsole, buildGallery, pagePolicy } from "../build.ts";

const files = buildConsole();
const textOf = (name: string) => String(files.get(name)?.body);
const page = textOf("index.html");

/** Lists the files that the page names, by path below the console's. */
const named = [...page.matchAll(/(?:href|src)="\/console\/([^"]+)"/g)].map(([, name = ""]) => name);

/** Lists a script and all scripts that it imports before it runs. */
function importedBy(name: string): string[] {
  const imported = [...textOf(name).matchAll(/(?:\bfrom|\bimport)"\.\/([^"]+)"/g)];
  return [name, ...imported.flatMap(([, other]) => importedBy(`files/${other}`))];
}

describe("the build of the console", () => {
  it("names its script and style by hashes of their content, and its picture and manifest by their names", () => {
    expect(named).toEqual([
      "icon.svg",
      "manifest.json",
      expect.stringMatching(/^files\/style-[A-Z0-9]{8}\.css$/),
      expect.stringMatching(/^files\/script-[A-Z0-9]{8}\.js$/),
    ]);
    expect(named.filter((name) => !files.has(name))).toEqual([]);
    expect([...buildConsole()]).toEqual([...files]);
  });

  it("has no inline script or style, which its policy forbids", () => {
    expect(page).not.toMatch(/<style|style="|<script>| on\w+="/);
    expect(pagePolicy(["https://id.example"])).toMatch(
      /script-src 'self'; style-src 'self';.* connect-src 'self' https:\/\/id\.example; /,
    );
  });

  it("has a script that shows an open page of the console when a notice is tapped, or else opens one", async () => {
    const done: string[] = [];
    const taps: ((event: object) => void)[] = [];
    const pages = [{ url: "https://x/docs/", focus: () => done.push("docs") }];
    const self = {
      addEventListener: (type: string, tap: () => void) => type === "notificationclick" && taps.push(tap),
      registration: { scope: "https://x/console/" },
      clients: { matchAll: async () => pages, openWindow: (url: string) => done.push(url) },
    };
    runInNewContext(textOf("service-worker.js"), { self });
    async function tap() {
      let opened: unknown;
      const event = { notification: { close() {} }, waitUntil: (promise: unknown) => (opened = promise) };
      for (const hear of taps) hear(event);
      await opened;
    }
    await tap();
    pages.push({ url: "https://x/console/?chain=eth", focus: () => done.push("focused") });
    await tap();
    expect(done).toEqual(["https://x/console/", "focused"]);
  });

  it("has a manifest whose pictures exist", () => {
    const { icons, start_url } = JSON.parse(textOf("manifest.json"));
    expect(start_url).toBe("/console/");
    expect(icons.filter(({ src }: { src: string }) => !files.has(src.replace("/console/", "")))).toEqual([]);
  });

  it("starts with at most 100 KB, compressed, and loads at most 60 KB more for the first chart", () => {
    const started = new Set(["index.html", ...named.flatMap((name) => importedBy(name))]);
    const charts = [...files.keys()].filter((name) => name.startsWith("files/charts-"));
    const added = charts.flatMap(importedBy).filter((name) => !started.has(name));
    const kilobytes = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + gzipSync(files.get(name)?.body ?? "").length / 1024, 0);
    expect(added.length).toBeGreaterThan(0);
    expect(kilobytes(started)).toBeLessThan(100);
    expect(kilobytes(new Set(added))).toBeLessThan(60);
  });

  it("builds the gallery from its own script", () => {
    const gallery = buildGallery("/gallery");
    expect(String(gallery.get("index.html")?.body)).toContain('src="/gallery/files/script-');
    expect([...gallery.keys()].filter((name) => name.includes("script") && files.has(name))).toEqual([]);
  });
});
