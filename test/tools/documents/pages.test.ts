import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorsOf, blocksOf, codeOf, linksOf, pages, textOf } from "./markdown.ts";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));

function isBroken(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path));
  return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
}

/**
 * Finds paths from the root that begin with a folder of the repository. The page of the local runner has its own paths.
 */
const pathsIn = (code: string) =>
  [...code.matchAll(/(?<![\w./-])(?:bin|docs|functions|lib|test|\.ci|\.github)\/[\w./-]*/g)].map(
    ([path]) => path,
  );

const sources = globSync("{bin,functions,lib,test}/**/*.ts", {
  exclude: (path) => path.includes("node_modules"),
});
const fileNames = new Set(sources.map((path) => basename(path)));

/** Finds names of source files without their folder. */
const fileNamesIn = (code: string) => [...code.matchAll(/(?<![\w./-])[\w-]+\.ts\b/g)].map(([name]) => name);

describe.each(pages)("%s", (page) => {
  it("links to pages, files and headings that exist", () => {
    expect(linksOf(page).filter((link) => isBroken(page, link))).toEqual([]);
  });

  it("names files and folders that exist", () => {
    const missing = pathsIn(codeOf(page)).filter(
      (path) => !existsSync(path) && !existsSync(join(dirname(page), path)),
    );
    const unknown = fileNamesIn(codeOf(page)).filter((name) => !fileNames.has(name));
    expect([...missing, ...unknown]).toEqual([]);
  });

  it("names scripts that exist", () => {
    const named = [...textOf(page).matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(
      ([, name]) => name as string,
    );
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("has one sentence on each line", () => {
    const lines = blocksOf(page).flat();
    expect(lines.filter((line) => /[.!?]["')*]* +["'(*`[]*[A-Z`[]/.test(line))).toEqual([]);
    const broken = blocksOf(page).flatMap((block) =>
      block.slice(0, -1).filter((line) => !/[.:!?]["')*]*$/.test(line)),
    );
    expect(broken).toEqual([]);
  });

  it("has no table row over 120 characters", () => {
    const rows = textOf(page)
      .split("\n")
      .filter((line) => line.startsWith("|"));
    expect(rows.filter((row) => row.length > 120)).toEqual([]);
  });
});

describe("README.md", () => {
  const lines = textOf("README.md").split("\n");

  it("has at most 150 lines", () => {
    expect(lines.length).toBeLessThanOrEqual(150);
  });

  it("starts the service within its first 40 lines", () => {
    expect(lines.indexOf("npm ci && npm start")).toBeGreaterThan(0);
    expect(lines.indexOf("npm ci && npm start")).toBeLessThan(40);
  });
});
