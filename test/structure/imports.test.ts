import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isIn, productFiles, sourceFiles } from "./source-files.ts";

/** Folders of the product, as the code map lists them. Each imports only from itself and from those above it. */
const [, codeMap = ""] =
  /^## Code map$(.*?)^The rest/ms.exec(readFileSync("docs/architecture.md", "utf8")) ?? [];
const floors = [...codeMap.matchAll(/^- `([\w/]+)\/`: /gm)].map(([, folder = ""]) => folder);

/** Workspaces, which are separate from the product and import nothing from it. */
const workspaces = ["lib/client", "lib/console", "lib/devnet", "lib/local/src", "lib/mcp"];

/**
 * Folders that may import a workspace: programs, and code that runs only locally. The console and the tools
 * of agents may import only the client, only the runner may import the local chains, and the stacks deploy the console.
 */
const usersOf = (workspace: string) => [
  "lib/tools",
  "bin",
  ...(workspace === "lib/local/src" ? ["lib/devnet"] : []),
  ...(workspace === "lib/client" ? ["lib/console", "lib/mcp"] : []),
  ...(workspace === "lib/console" ? ["lib/infra"] : []),
];

/** Files and folders that contain only rules: no AWS, no clock and no environment. */
const pureFolders = [
  "lib/core",
  "lib/orders",
  "lib/chains/evm/rules",
  "lib/chains/sol/rules",
  "lib/trading/procedures",
  "lib/markets/core",
  "lib/markets/evm/rules",
];
const pureFiles = [
  ...["keys", "layout", "step"].map((name) => `lib/table/${name}.ts`),
  ...["earnings", "experience", "level", "profile", "referral-code", "settings", "streak"].map(
    (name) => `lib/users/${name}.ts`,
  ),
  ...["fallback-keys", "plan"].map((name) => `lib/plans/${name}.ts`),
  "lib/prices/price.ts",
  ...[
    "credit",
    "earned-row",
    "earning-rules",
    "item-keys",
    "points",
    "redemption",
    "reward",
    "standings",
  ].map((name) => `lib/rewards/${name}.ts`),
  ...["policy-text", "wallet", "wallet-event", "wallet-name"].map((name) => `lib/wallets/${name}.ts`),
  "lib/wallets/keys/sealing.ts",
  "lib/wallets/export/export-lock.ts",
  "lib/wallets/export/wallet-export.ts",
  ...["address", "family", "key", "lane", "place", "schemas", "sign-rules", "slots", "venue"].map(
    (name) => `lib/chains/families/${name}.ts`,
  ),
  ...["evm", "sol"].flatMap((family) =>
    ["address", "key", "lane", "place"].map((name) => `lib/chains/${family}/${name}.ts`),
  ),
];

const rooms = [...floors, ...workspaces].toSorted((a, b) => b.length - a.length);
const roomOf = (path: string) => rooms.find((room) => isIn(room, path));
const floorOf = (room: string) => floors.indexOf(room);

const checked = sourceFiles.filter(({ path }) => !/^(test|lib\/(local|devnet)\/test)\//.test(path));
const importsBetweenRooms = checked.flatMap(({ path, imports }) =>
  imports
    .map((imported) => ({ path, imported, from: roomOf(imported) ?? "", to: roomOf(path) ?? "" }))
    .filter(({ from, to }) => from !== to),
);

const shown = ({ path, imported }: { path: string; imported: string }) => `${path} imports ${imported}`;

describe("imports", () => {
  it("allows imports only from folders above in the list", () => {
    const climbing = importsBetweenRooms
      .filter(({ from }) => !workspaces.includes(from))
      .filter(({ from, to }) => floorOf(from) >= floorOf(to));
    expect(climbing.map(shown)).toEqual([]);
  });

  it("allows imports of workspaces only in programs, of the client in the console and the MCP server, and of the console in the stacks", () => {
    const others = importsBetweenRooms
      .filter(({ from }) => workspaces.includes(from))
      .filter(({ from, to }) => !usersOf(from).includes(to));
    expect(others.map(shown)).toEqual([]);
  });

  it("lets the local chains and their tests import only themselves and the local runner", () => {
    const violations = sourceFiles
      .filter(({ path }) => isIn("lib/devnet", path))
      .flatMap(({ path, imports }) => imports.map((imported) => ({ path, imported })))
      .filter(({ imported }) => !["lib/devnet", "lib/local/src"].some((folder) => isIn(folder, imported)));
    expect(violations.map(shown)).toEqual([]);
  });

  it("lets the judge of resting orders import only itself and the local chains", () => {
    const violations = sourceFiles
      .filter(({ path }) => isIn("test/replay", path))
      .flatMap(({ path, imports }) => imports.map((imported) => ({ path, imported })))
      .filter(({ imported }) => !["test/replay", "lib/devnet"].some((folder) => isIn(folder, imported)));
    expect(violations.map(shown)).toEqual([]);
  });

  it("finds each folder in the list", () => {
    expect(checked.map(({ path }) => path).filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  it("finds no cycle of imports, even through types and tests", () => {
    expect(cycles()).toEqual([]);
  });

  it("imports workspaces by their package names", () => {
    const programs = sourceFiles.filter(({ path }) => /^lib\/(tools|console|devnet|mcp)\//.test(path));
    const violations = [...productFiles, ...programs]
      .filter(({ text }) => /"(\.\.?\/)+(lib\/)?(local|devnet|console|client)\//.test(text))
      .map(({ path }) => path);
    expect(violations).toEqual([]);
  });

  it("keeps AWS, the clock and the environment out of the rules", () => {
    const impure = /@aws-sdk|aws-lambda|new Date\(\)|Date\.now|process\.env/;
    const isPure = (path: string) =>
      pureFiles.includes(path) || pureFolders.some((folder) => isIn(folder, path));
    const violations = sourceFiles.filter(({ path, text }) => isPure(path) && impure.test(text));
    expect(violations.map(({ path }) => path)).toEqual([]);
  });

  it("lets rules import only rules", () => {
    const isRule = (path: string) =>
      pureFiles.includes(path) || pureFolders.some((folder) => isIn(folder, path));
    const violations = checked
      .filter(({ path }) => isRule(path))
      .flatMap(({ path, imports }) => imports.map((imported) => ({ path, imported })))
      .filter(({ imported }) => !isRule(imported));
    expect(violations.map(shown)).toEqual([]);
  });

  it("lists only files that exist", () => {
    const paths = new Set(sourceFiles.map(({ path }) => path));
    expect(pureFiles.filter((path) => !paths.has(path))).toEqual([]);
  });
});

/** Lists each cycle once, as the paths of its files in order of import. */
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
