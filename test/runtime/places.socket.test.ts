import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleOptions, codeFile, root, variablesLine } from "../../lib/infra/functions/bundle.ts";
import { placesFile, placesMapOf } from "../../lib/infra/functions/places.ts";
import { partIn } from "../support/traces.ts";

const source = "test/runtime/faulty.ts";
const folder = mkdtempSync(join(tmpdir(), "places-"));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = "4c0883a69102937d6231471b5dbb6204fe51296170827936ea5cce4b76994b0f";
let [code, text] = ["", ""];

beforeAll(() => {
  const bundles = resolve(root, "bundles");
  const { outputFiles } = buildSync({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: [resolve(root, source)],
    outdir: bundles,
    write: false,
    sourcemap: "external",
    sourcesContent: false,
  });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  code = textOf(".js");
  const head = variablesLine({ HEAD: "a line before the code" });
  const places = placesMapOf({ code, map: textOf(".map") }, { root, folder: bundles, head });
  writeFileSync(join(folder, codeFile), head + code);
  writeFileSync(join(folder, placesFile), places);
  text = run();
});

/** Runs the bundle and returns all that it logs. */
function run(): string {
  const env = { DATA: secret };
  return execFileSync(process.execPath, [join(folder, codeFile)], { env, encoding: "utf8", stdio: "pipe" });
}

type Line = { operation: string; error: string; at?: string[]; build?: string; cause?: { at: string[] } };

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const lineAbout = (operation: string) => linesOf(text).find((line) => line.operation === operation);

/** Returns the place of the first line of the program that contains a text. */
const at = (text: string) =>
  `${source}:${
    readFileSync(source, "utf8")
      .split("\n")
      .findIndex((line) => line.includes(text)) + 1
  }`;

it("logs function, file and line of a fault in our own code, the innermost first, and its build", () => {
  expect(lineAbout("functions")).toEqual({
    operation: "functions",
    error: "TypeError",
    at: [
      `lengthOf ${at("text.length")}`,
      `#length ${at("Reader.lengthOf(text")}`,
      `read ${at("return this.#length")}`,
      `readAll ${at("await new Reader")}`,
      `run ${at("await act")}`,
    ],
    build: createHash("sha256").update(code).digest("hex").slice(0, 12),
  });
});

it("logs the places of a fault and of its cause", () => {
  const { at: places, cause } = lineAbout("cause") ?? {};
  expect(places?.[0]).toBe(at("throw Object.assign"));
  expect(cause?.at[0]).toBe(at("const cause"));
});

it.each(["fault of AWS", "stack that was read"])("logs no place of a %s", (operation) => {
  expect(lineAbout(operation)).toEqual({ operation, error: "Error" });
});

it("logs no data of a fault, neither as its message nor as a name that arose at runtime", () => {
  expect(lineAbout("data as a name")?.at?.[0]).toBe(at("throw new RangeError"));
  expect(lineAbout("foreign text")?.error).toBe("SyntaxError");
  expect(linesOf(text)).toHaveLength(6);
  expect(partIn(text, [secret])).toBeUndefined();
});

it("logs a fault without a place if the map is lost", () => {
  rmSync(join(folder, placesFile));
  expect(linesOf(run())[0]).toEqual({ operation: "functions", error: "TypeError" });
});
