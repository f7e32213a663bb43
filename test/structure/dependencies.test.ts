import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { operationsOf } from "../../lib/operations.ts";

const operations = ["lib/operation-types.ts", "lib/operations.ts"] as const;

/** Which folders the files of a folder may import from, besides their own. */
const allowed: Record<string, readonly string[]> = {
  "lib/domain": [],
  "lib/operation-types.ts": [],
  "lib/operations.ts": ["lib/operation-types.ts"],
  "lib/api": ["lib/domain", ...operations],
  "lib/concurrency.ts": [],
  "lib/aws": ["lib/domain", "lib/concurrency.ts"],
  "lib/runtime": ["lib/users", "lib/prices", "lib/aws", "lib/api", "lib/domain", ...operations],
  "lib/prices": ["lib/domain"],
  "lib/plans": ["lib/aws", "lib/domain"],
  "lib/users": ["lib/aws", "lib/domain"],
  "lib/wallets": ["lib/aws", "lib/domain"],
  "lib/realtime": ["lib/api", "lib/aws", "lib/domain", "lib/concurrency.ts"],
  "lib/documents": ["lib/api", "lib/domain", ...operations],
  // For names only: what a function reads from its environment, and what its keys are bound to.
  "lib/infra": [...operations, "lib/domain", "lib/aws", "lib/prices", "lib/runtime"],
  "lib/admin": ["lib/api", "lib/aws", "lib/domain", "lib/plans", "lib/concurrency.ts"],
  "lib/local/src": [],
  "lib/dev": ["lib/local/src", "lib/admin", "lib/infra", ...operations],
  functions: [
    "lib/runtime",
    "lib/users",
    "lib/wallets",
    "lib/realtime",
    "lib/prices",
    "lib/plans",
    "lib/api",
    "lib/domain",
    "lib/aws",
  ],
};

const files = globSync(["lib/**/*.ts", "functions/**/*.ts"], {
  exclude: (path) => path.startsWith("lib/local/test") || path.startsWith("lib/local/node_modules"),
});
const folderOf = (file: string) =>
  Object.keys(allowed).find((folder) => file === folder || file.startsWith(`${folder}/`));

const importsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?"(\.[^"]+\.ts|cdk-local-runner[^"]*)"/g)].map(
    ([, path = ""]) =>
      path.startsWith(".") ? normalize(join(dirname(file), path)) : "lib/local/src/index.ts",
  );

describe("the folders", () => {
  it.each(files)("%s imports only where it may", (file) => {
    const folder = folderOf(file);
    expect(folder, `${file} is in no folder that has a place in the order`).toBeDefined();
    const foreign = importsOf(file).filter((path) => folderOf(path) !== folder);
    for (const path of foreign)
      expect(allowed[folder as string], `imports ${path}`).toContain(folderOf(path));
  });

  it("lets the domain know nothing of AWS, the clock or the environment", () => {
    for (const file of files.filter((name) => name.startsWith("lib/domain/"))) {
      expect(readFileSync(file, "utf8")).not.toMatch(
        /@aws-sdk|aws-lambda|new Date\(\)|Date\.now|process\.env/,
      );
    }
  });

  it("wraps every function that no client waits for in background or onChanges", () => {
    const rows = [...operationsOf("changes"), ...operationsOf("schedule"), ...operationsOf("internal")];
    const unwrapped = rows.filter(([name]) => {
      const handler = readFileSync(`functions/${name}/handler.ts`, "utf8");
      return !new RegExp(`export const handler = (background|onChanges)\\(\\s*"${name}"`).test(handler);
    });
    expect(unwrapped).toEqual([]);
  });
});
