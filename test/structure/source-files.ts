import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type SourceFile = { path: string; text: string; imports: readonly string[] };

/** The entries of the packages of this repository, with the files behind them. */
const entries: Record<string, string> = {
  "cdk-local-runner": "lib/local/src/index.ts",
  "cdk-local-runner/testing": "lib/local/src/testing.ts",
  "trading-terminal-client": "lib/client/index.ts",
  "trading-terminal-client/markets": "lib/client/markets/index.ts",
  "trading-terminal-client/seal": "lib/client/seal/index.ts",
  "trading-terminal-console": "lib/console/pages.ts",
};

/** The package of the local chains offers each of its files. */
const devnet = /^trading-terminal-devnet\/(.+)$/;

const pathOf = (specifier: string, importer: string): string => {
  const [, file] = devnet.exec(specifier) ?? [];
  if (file !== undefined) return `lib/devnet/${file}.ts`;
  return entries[specifier] ?? normalize(join(dirname(importer), specifier));
};

/** Matches imports and re-exports, of types too, whether static or dynamic. */
const importPattern =
  /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+\.tsx?|(?:cdk-local-runner|trading-terminal-(?:client|console|devnet))[^"]*)"/g;

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(importPattern)].map(([, specifier = ""]) => pathOf(specifier, path));
}

const generated = /^lib\/client\/(dist\/|openapi\.ts$|methods\.ts$)/;

/** All hand-written TypeScript files of the repository, with the paths that each imports. */
export const sourceFiles: readonly SourceFile[] = globSync(["{bin,lib,functions,test}/**/*.{ts,tsx}"])
  .filter((path) => !path.includes("node_modules") && !generated.test(path))
  .toSorted()
  .map((path) => {
    const text = readFileSync(path, "utf8");
    return { path, text, imports: importsOf(path, text) };
  });

/**
 * The back end, its stacks and its programs. The runner, the local chains, the client and the console are separate,
 * and so are their names.
 */
export const productFiles = sourceFiles.filter(
  ({ path }) => !/^(test|lib\/(local|devnet|client|console))\//.test(path),
);

export const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
