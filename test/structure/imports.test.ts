import { describe, expect, it } from "vitest";
import { isIn, productFiles, sourceFiles } from "./source-files.ts";

const rows = [
  "lib/plan-rows.ts",
  "lib/reward-rows.ts",
  "lib/trading-rows.ts",
  "lib/user-rows.ts",
  "lib/wallet-rows.ts",
] as const;
const table = ["lib/operations.ts", "lib/operation-types.ts", "lib/table"] as const;

/** The folders from which the files of a folder may import, besides their own. */
const allowed: Record<string, readonly string[]> = {
  "lib/table": [],
  "lib/operation-types.ts": ["lib/table"],
  ...Object.fromEntries(rows.map((path) => [path, ["lib/operation-types.ts"]])),
  "lib/operations.ts": ["lib/operation-types.ts", ...rows],
  "lib/concurrency.ts": [],
  "lib/domain": [],
  "lib/api": ["lib/domain", ...table],
  "lib/aws": ["lib/domain", "lib/table", "lib/concurrency.ts"],
  "lib/chains": ["lib/domain"],
  "lib/prices": ["lib/domain"],
  "lib/plans": ["lib/aws", "lib/domain"],
  "lib/users": ["lib/aws", "lib/domain"],
  "lib/wallets": ["lib/aws", "lib/domain"],
  "lib/rewards": ["lib/aws", "lib/domain"],
  "lib/trading": ["lib/api", "lib/aws", "lib/chains", "lib/domain", "lib/concurrency.ts"],
  "lib/realtime": ["lib/api", "lib/aws", "lib/domain", "lib/concurrency.ts"],
  "lib/runtime": [
    "lib/users",
    "lib/realtime",
    "lib/prices",
    "lib/aws",
    "lib/chains",
    "lib/api",
    "lib/domain",
    ...table,
  ],
  functions: [
    "lib/runtime",
    "lib/users",
    "lib/wallets",
    "lib/rewards",
    "lib/realtime",
    "lib/prices",
    "lib/plans",
    "lib/trading",
    "lib/chains",
    "lib/api",
    "lib/domain",
    "lib/aws",
  ],
  // For names only: the venues, the issuer that the authorizers expect, and what chains have.
  "lib/infra": [
    "lib/runtime",
    "lib/prices",
    "lib/aws",
    "lib/chains",
    "lib/domain",
    "lib/wallet-rows.ts",
    ...table,
  ],
  "lib/client": [],
  "lib/documents": ["lib/api", "lib/client", "lib/domain", ...table],
  "lib/admin": [
    "lib/api",
    "lib/aws",
    "lib/domain",
    "lib/table",
    "lib/plans",
    "lib/realtime",
    "lib/wallets",
    "lib/rewards",
    "lib/concurrency.ts",
  ],
  "lib/dev": [
    "lib/local/src",
    "lib/client",
    "lib/admin",
    "lib/documents",
    "lib/infra",
    "lib/chains",
    "lib/domain",
    ...table,
  ],
  "lib/local/src": [],
  bin: [
    "lib/infra",
    "lib/admin",
    "lib/documents",
    "lib/dev",
    "lib/local/src",
    "test/e2e/stage/support/verify.ts",
  ],
};

const folders = Object.keys(allowed);
const folderOf = (path: string) => folders.find((folder) => isIn(folder, path)) ?? path;
const checked = sourceFiles.filter(({ path }) => !/^(test|lib\/local\/test)\//.test(path));

describe("imports", () => {
  it.each(Object.entries(allowed))("of %s come from the layers below", (folder, below) => {
    const violations = checked
      .filter(({ path }) => folderOf(path) === folder)
      .flatMap(({ path, imports }) => imports.map((imported) => ({ path, imported })))
      .filter(({ imported }) => ![folder, ...below].includes(folderOf(imported)))
      .map(({ path, imported }) => `${path} imports ${imported}`);
    expect(violations).toEqual([]);
  });

  it("have a rule for every folder", () => {
    const others = checked.map(({ path }) => path).filter((path) => !folders.includes(folderOf(path)));
    expect(others).toEqual([]);
  });

  it("form no cycle, types and tests included", () => {
    expect(cycles()).toEqual([]);
  });

  it("reach the local runner by its package name", () => {
    const violations = productFiles
      .filter(({ text }) => /"(\.\.?\/)+(lib\/)?local\//.test(text))
      .map(({ path }) => path);
    expect(violations).toEqual([]);
  });

  it("keep AWS, the clock and the environment out of the domain", () => {
    const impure = /@aws-sdk|aws-lambda|new Date\(\)|Date\.now|process\.env/;
    const violations = sourceFiles
      .filter(({ path, text }) => isIn("lib/domain", path) && impure.test(text))
      .map(({ path }) => path);
    expect(violations).toEqual([]);
  });
});

/** Each cycle once, as the paths of its files in order of import. */
function cycles(): string[][] {
  const importsOf = new Map(sourceFiles.map(({ path, imports }) => [path, imports]));
  const found: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string) => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push(trail.slice(start));
    if (start >= 0 || done.has(path)) return;
    trail.push(path);
    for (const imported of importsOf.get(path) ?? []) visit(imported);
    trail.pop();
    done.add(path);
  };
  for (const path of importsOf.keys()) visit(path);
  return found;
}
