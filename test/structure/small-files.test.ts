import { expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

const leastLines = 40;

/** Small files with only one importer that remain separate because similar files exist next to them. */
const kinds = {
  "a part of a family of chains, or the registry of one":
    /^lib\/(chains\/\w+|markets\/families)\/[\w-]+\.ts$/,
  "a router of an exchange": /^lib\/chains\/evm\/venues\/v\d-router\.ts$/,
  "a stack, or a part of the context": /^lib\/infra\/.+-(context|stack)\.ts$/,
  "a command": /^lib\/tools\/admin\/commands\//,
  "a part of the runner": /^lib\/local\//,
  "an import of vitest.config.ts, too":
    /^(test\/support\/(order-of-files|test-options|record-durations)|lib\/console\/test\/support\/chromium)\.ts$/,
};

const isTest = (path: string) => path.endsWith(".test.ts");
const importersOf = Map.groupBy(
  sourceFiles.flatMap(({ path, imports }) => imports.map((imported) => ({ path, imported }))),
  ({ imported }) => imported,
);

/**
 * True if a file's only importer could contain its code. Programs and configurations name files that nobody imports.
 */
const isFoldable = (path: string): boolean => {
  const [importer, second] = importersOf.get(path) ?? [];
  if (importer === undefined || second !== undefined) return false;
  return path.startsWith("test/") || !isTest(importer.path);
};

it("a file of the product or its tests has two importers, a test of its own, or forty lines", () => {
  const small = sourceFiles.filter(({ text }) => text.trimEnd().split("\n").length < leastLines);
  const foldable = small.map(({ path }) => path).filter((path) => !isTest(path) && isFoldable(path));
  const excepted = Object.values(kinds);
  expect(foldable.filter((path) => !excepted.some((pattern) => pattern.test(path)))).toEqual([]);
  expect(excepted.filter((pattern) => !foldable.some((path) => pattern.test(path)))).toEqual([]);
});
