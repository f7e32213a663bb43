import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
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
 * Finds paths that start with a folder of the repository. A workspace's README may use paths relative to its own
 * folder.
 */
const pathsIn = (code: string) =>
  [...code.matchAll(/(?<![\w./-])(?:bin|docs|functions|lib|test|\.ci|\.github)\/[\w./-]*/g)].map(
    ([path]) => path,
  );

const sources = globSync("{bin,functions,lib,test}/**/*.ts", {
  exclude: (path) => path.includes("node_modules"),
});
const fileNames = new Set(sources.map((path) => basename(path)));

/** Finds source files named without their folder. */
const fileNamesIn = (code: string) => [...code.matchAll(/(?<![\w./-])[\w-]+\.ts\b/g)].map(([name]) => name);

describe.each(pages)("%s", (page) => {
  it("links only to existing pages, files and headings", () => {
    expect(linksOf(page).filter((link) => isBroken(page, link))).toEqual([]);
  });

  it("names only existing files and folders", () => {
    const missing = pathsIn(codeOf(page)).filter(
      (path) => !existsSync(path) && !existsSync(join(dirname(page), path)),
    );
    const unknown = fileNamesIn(codeOf(page)).filter((name) => !fileNames.has(name));
    expect([...missing, ...unknown]).toEqual([]);
  });

  it("names only existing npm scripts", () => {
    const named = [...textOf(page).matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(
      ([, name]) => name as string,
    );
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("puts one sentence on each line of a page", () => {
    const lines = blocksOf(page).flat();
    expect(lines.filter((line) => /[.!?]["')*]* +["'(*`[]*[A-Z`[]/.test(line))).toEqual([]);
    const broken = blocksOf(page).flatMap((block) =>
      block.slice(0, -1).filter((line) => !/[.:!?]["')*]*$/.test(line)),
    );
    expect(broken).toEqual([]);
  });

  it("keeps hand-written table rows within 120 characters", () => {
    const rows = textOf(page)
      .replaceAll(/^<!-- Generated.*?^<!-- End -->$/gms, "")
      .split("\n")
      .filter((line) => line.startsWith("|"));
    expect(rows.filter((row) => row.length > 120)).toEqual([]);
  });
});

/** Lists the folders inside a folder, as paths from the repository's root. */
const foldersIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
    .map(({ name }) => `${folder}/${name}/`)
    .toSorted();

const namedFolders = (text: string) =>
  [...new Set([...text.matchAll(/`(lib\/\w+\/)[\w/]*`/g)].map(([, path]) => path))].toSorted();

const sectionOf = (page: string, heading: RegExp) =>
  textOf(page)
    .split(/^## /m)
    .find((section) => heading.test(section)) ?? "";

describe("README.md", () => {
  const lines = textOf("README.md").split("\n");

  it("lists exactly the folders of lib/ in the README's table", () => {
    const rows = sectionOf("README.md", /^Find your way/).split("\n");
    const firstCells = rows.filter((row) => row.startsWith("| `")).map((row) => row.split(" | ", 1)[0]);
    expect(namedFolders(firstCells.join("\n"))).toEqual(foldersIn("lib"));
  });

  it("shows the two commands for a fresh machine in the README", () => {
    const blocks = textOf("README.md").match(/^```bash$.*?^```$/gms) ?? [];
    const commands = blocks.flatMap((block) => block.split("\n"));
    expect(commands).toEqual(expect.arrayContaining(["npm ci && npm start", "npm ci && npm test"]));
  });

  it("keeps the README within 150 lines", () => {
    expect(lines.length).toBeLessThanOrEqual(150);
  });

  it("shows how to start the service within the README's first 40 lines", () => {
    expect(lines.indexOf("npm ci && npm start")).toBeGreaterThan(0);
    expect(lines.indexOf("npm ci && npm start")).toBeLessThan(40);
  });
});

describe("architecture.md", () => {
  const page = "docs/architecture.md";
  const steps = sectionOf(page, /^\w+ journeys/)
    .split("\n")
    .filter((line) => /^( {2,4}|\d+\.) *\S/.test(line));
  const places = steps.flatMap((step) => [...step.matchAll(/`([\w/-]+\.ts)`(?:, `(\w+)`)?/g)]);

  it("lists exactly the folders of lib/ in the code map", () => {
    const items = sectionOf(page, /^Code map/)
      .split("\n")
      .filter((line) => line.startsWith("- `"));
    expect(namedFolders(items.join("\n"))).toEqual(foldersIn("lib"));
  });

  it("starts each step of a journey with a file and its function", () => {
    const begins = steps.filter((step) => /^\d/.test(step));
    expect(begins.length).toBeGreaterThan(30);
    expect(begins.filter((step) => !/^\d+\. `[\w/-]+\.ts`, `\w+`: /.test(step))).toEqual([]);
  });

  it("names only exported functions in the journeys", () => {
    const wrong = places.filter(
      ([, path = "", name]) =>
        name === undefined ||
        !new RegExp(`^export (async )?(const|function\\*?|class) ${name}\\b`, "m").test(textOf(path)),
    );
    expect(wrong.map(([text]) => text)).toEqual([]);
  });

  it("keeps the glossary within 70 words", () => {
    const rows = sectionOf(page, /^Glossary/).match(/^\| (?!-|Word )/gm) ?? [];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(70);
  });
});
