import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const client = "lib/client";
const [packed, project] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "client-"))) as [string, string];
const manifest = JSON.parse(readFileSync(`${client}/package.json`, "utf8"));
const bots = ["bot.ts", "bot-with-stop.ts"];
const entries: string[] = Object.keys(manifest.exports).filter((entry) => !entry.endsWith(".json"));

/** TypeScript 7 checks this repository. Most programs still use the older one. */
const compilers = {
  7: "node_modules/typescript/bin/tsc",
  5: "lib/tools/documents/client-types/node_modules/typescript/bin/tsc",
};

/** Packs the current client and installs it without a network. */
beforeAll(async () => {
  await run("npm", ["run", "-s", "build:client"]);
  for (const file of ["package.json", "README.md", "CHANGELOG.md", "merge-cases.json", "dist"])
    cpSync(`${client}/${file}`, join(packed, file), { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", "--ignore-scripts"], { cwd: packed });
  const install = ["install", "--offline", "--no-audit", "--no-fund", join(packed, stdout.trim())];
  await run("npm", install, { cwd: project });
  for (const bot of bots) copyFileSync(`docs/${bot}`, join(project, bot));
  copyFileSync("test/client/package/usage.ts", join(project, "usage.ts"));
});

afterAll(() => {
  for (const folder of [packed, project]) rmSync(folder, { recursive: true });
});

/** Type-checks files of the project with strict options. Returns the compiler's output. */
const check = (version: keyof typeof compilers, options: string[], files: string[]) =>
  run(
    process.execPath,
    [
      join(process.cwd(), compilers[version]),
      ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
      ...["--target", "es2022", ...options, ...files],
    ],
    { cwd: project },
  ).then(
    ({ stdout }) => stdout,
    ({ stdout, message }) => stdout || message,
  );

describe("the client's package", () => {
  it("allows publication of a package without dependencies", () => {
    expect(manifest).not.toHaveProperty("private");
    expect(Object.keys(manifest).filter((key) => /dependencies$/i.test(key))).toEqual([]);
    const installed = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["trading-terminal-client"]);
  });

  it("loads in Node from ES modules and by require", async () => {
    const loaded = entries.map((entry) => join(manifest.name, entry));
    const program = `
      const names = ${JSON.stringify(loaded)};
      for (const name of names) console.log(Object.keys(require(name)).length > 0);
      Promise.all(names.map((name) => import(name))).then((all) => console.log(all.length));`;
    const { stdout } = await run(process.execPath, ["-e", program], { cwd: project });
    expect(stdout.split("\n")).toEqual([...loaded.map(() => "true"), String(loaded.length), ""]);
  });

  it("compiles together with the documented bots in an empty folder under strict options", async () => {
    expect(await check(7, ["--module", "nodenext"], bots)).toBe("");
  });

  it("explains a misspelt field of an order by the field that was meant", async () => {
    const program = `
      import { createTerminal } from "trading-terminal-client";
      const order = { type: "market", chain: "eth", wallet: "0x1", token: "0x2", side: "buy" } as const;
      void createTerminal({ baseUrl: "" }).placeOrder({ body: { ...order, amuont: "1" } });`;
    writeFileSync(join(project, "mistake.mts"), program);
    const output = await check(7, ["--module", "nodenext"], ["mistake.mts"]);
    expect(output).toContain("Did you mean to write 'amount'?");
  });

  it("provides types that accept correct code and reject mistakes, for Node and bundlers", async () => {
    writeFileSync(join(project, "usage.mts"), readFileSync(join(project, "usage.ts")));
    const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];
    const all = [check(7, ["--module", "nodenext"], ["usage.mts"]), check(5, bundler, ["usage.ts", ...bots])];
    expect(await Promise.all(all)).toEqual(["", ""]);
  });
});
