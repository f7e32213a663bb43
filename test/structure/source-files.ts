import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export type SourceFile = { path: string; text: string; imports: readonly string[] };

/** Entry points of this repository's packages, with the source files to which they resolve. */
const entries: Record<string, string> = {
  "cdk-local-runner": "lib/local/src/index.ts",
  "cdk-local-runner/testing": "lib/local/src/testing.ts",
  "trading-terminal-client": "lib/client/index.ts",
  "trading-terminal-client/markets": "lib/client/markets/index.ts",
  "trading-terminal-client/seal": "lib/client/seal/index.ts",
  "trading-terminal-console": "lib/console/build.ts",
  "trading-terminal-mcp": "lib/mcp/server.ts",
};

/** Includes each file of the local chains, because their package offers them all. */
const devnet = /^trading-terminal-devnet\/(.+)$/;

const pathOf = (specifier: string, importer: string): string => {
  const [, file] = devnet.exec(specifier) ?? [];
  if (file !== undefined) return `lib/devnet/${file}.ts`;
  return entries[specifier] ?? normalize(join(dirname(importer), specifier));
};

/** Matches imports and re-exports, even of types, whether static or dynamic. */
const importPattern =
  /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+\.tsx?|(?:cdk-local-runner|trading-terminal-(?:client|console|devnet|mcp))[^"]*)"/g;

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(importPattern)].map(([, specifier = ""]) => pathOf(specifier, path));
}

const generated = /^lib\/client\/(dist\/|openapi\.ts$|methods\.ts$)/;

/** Lists all hand-written TypeScript files of the repository, with the paths that each imports. */
export const sourceFiles: readonly SourceFile[] = globSync(["{bin,lib,functions,test}/**/*.{ts,tsx}"])
  .filter((path) => !path.includes("node_modules") && !generated.test(path))
  .toSorted()
  .map((path) => {
    const text = readFileSync(path, "utf8");
    return { path, text, imports: importsOf(path, text) };
  });

/**
 * Lists the back end, its stacks and its programs. The runner, the local chains, the client, the console and the
 * MCP server are separate and have their own names.
 */
export const productFiles = sourceFiles.filter(
  ({ path }) => !/^(test|lib\/(local|devnet|client|console|mcp))\//.test(path),
);

export const isIn = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);
