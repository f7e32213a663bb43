import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { consoleReloads, galleryPages } from "../../../lib/tools/runner/console-pages.ts";

const assembly = mkdtempSync(join(tmpdir(), "console-pages-"));
afterAll(() => rmSync(assembly, { recursive: true }));

const request = (target: string) => ({
  method: "GET",
  target,
  headers: [],
  body: Buffer.of(),
  sourceIp: "127.0.0.1",
});

describe("consoleReloads", () => {
  it("builds the console into the running assembly for each page, and for no file", () => {
    const asset = join(assembly, "asset.site");
    for (const folder of [asset, join(assembly, "asset.code")]) mkdirSync(folder);
    for (const name of ["index.html", "manifest.json"]) writeFileSync(join(asset, name), "");
    const reload = consoleReloads(assembly);
    const built = (target: string) => {
      expect(reload(request(target))).toBeUndefined();
      return readdirSync(asset).includes("files");
    };
    expect(["/console/config.json", "/listWallets", "/console/eth?x=1"].map(built)).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe("galleryPages", () => {
  it("serves the gallery's page and its script", async () => {
    const gallery = galleryPages(false);
    const page = String((await gallery(request("/gallery/")))?.body);
    const [script = ""] = /\/gallery\/files\/script-\w+\.js/.exec(page) ?? [];
    expect(await gallery(request(script))).toMatchObject({ status: 200 });
    expect(gallery(request("/console/"))).toBeUndefined();
  });
});
