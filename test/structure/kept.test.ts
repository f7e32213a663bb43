import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { keptFiles } from "../kept/files.ts";
import { sourceFiles } from "./source-files.ts";

type Script = { command?: string; dependencies?: string[]; files?: string[]; output?: string[] };

const { wireit }: { wireit: Record<string, Script> } = JSON.parse(readFileSync("package.json", "utf8"));

const importsOf = new Map(sourceFiles.map(({ path, imports }) => [path, imports]));

/** Lists the files that a script names, and those that its dependencies name. */
function namedBy({ files = [], dependencies = [] }: Script): Set<string> {
  const excluded = files.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
  const own = globSync(
    files.filter((glob) => !glob.startsWith("!")),
    { exclude: excluded },
  );
  return new Set([...own, ...dependencies.flatMap((name) => [...namedBy(wireit[name] ?? {})])]);
}

/**
 * Lists these files and everything that they import. Ignores imports in texts of tests, which name files that do not
 * exist.
 */
function reachedFrom(paths: readonly string[], reached = new Set<string>()): Set<string> {
  for (const path of paths) {
    const imports = importsOf.get(path);
    if (imports !== undefined && !reached.has(path)) reachedFrom(imports, reached.add(path));
  }
  return reached;
}

const kept = globSync([...keptFiles]);
const scripts = Object.entries(wireit).flatMap(([name, script]) => {
  const [, filter] =
    /^vitest run --config test\/kept\/vitest\.config\.ts (\S+)$/.exec(script.command ?? "") ?? [];
  return filter === undefined ? [] : [{ name, script, tests: kept.filter((path) => path.includes(filter)) }];
});

describe("the scripts whose results are kept", () => {
  it("runs each of the slow tests once, as a part of `npm run kept`", () => {
    expect(scripts.flatMap(({ tests }) => tests).toSorted()).toEqual(kept.toSorted());
    const parts = scripts.map(({ name }) => name);
    expect(wireit.kept?.dependencies?.toSorted()).toEqual(parts.toSorted());
  });

  it.each(scripts)(
    "$name names all files that its tests import, and keeps its result",
    ({ script, tests }) => {
      expect(script.output).toEqual([]);
      const named = namedBy(script);
      const harness = ["test/kept/vitest.config.ts", "test/support/client-sources.ts"];
      const reached = reachedFrom([...tests, ...harness, "lib/local/test/support/restore-mocks.ts"]);
      expect(reached.size).toBeGreaterThan(tests.length);
      expect([...reached].filter((path) => !named.has(path))).toEqual([]);
    },
  );
});
