import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type SourceFile = { path: string; text: string; imports: readonly string[] };

/** The package name of lib/local, and the files that it stands for. */
const runnerEntries: Record<string, string> = {
  "cdk-local-runner": "lib/local/src/index.ts",
  "cdk-local-runner/testing": "lib/local/src/testing.ts",
};

/** Matches imports and re-exports, of types too, whether static or dynamic. */
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+\.ts|cdk-local-runner[^"]*)"/g;

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(importPattern)].map(
    ([, specifier = ""]) => runnerEntries[specifier] ?? normalize(join(dirname(path), specifier)),
  );
}

/** All TypeScript files of the repository, with the paths that each imports. */
export const sourceFiles: readonly SourceFile[] = globSync(["{bin,lib,functions,test}/**/*.ts"])
  .filter((path) => !path.includes("node_modules"))
  .toSorted()
  .map((path) => {
    const text = readFileSync(path, "utf8");
    return { path, text, imports: importsOf(path, text) };
  });

/** The back end, its stacks and its programs: what this repository ships, without the local runner and the tests. */
export const productFiles = sourceFiles.filter(({ path }) => !/^(test|lib\/local)\//.test(path));

export const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
