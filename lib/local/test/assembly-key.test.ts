import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assemblyKey, isCurrent, keepKey, removeKey } from "../src/assembly-key.ts";
import { temporaryFolder } from "./fixtures/folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("the key of an assembly", () => {
  let project: string;
  let sources: string[];
  let context: string;
  const inProject = (path: string) => join(project, path);
  const key = () => assemblyKey(project, sources, { CDK_CONTEXT_JSON: context });

  beforeEach(() => {
    project = temporaryFolder();
    mkdirSync(inProject("lib/deep"), { recursive: true });
    for (const path of ["app.ts", "lib/stack.ts", "lib/deep/part.ts"]) writeFileSync(inProject(path), path);
    sources = ["app.ts", "lib", "not-there-yet.json"];
    context = "{}";
  });

  it("ignores the order of the sources in an assembly's key", () => {
    const before = key();
    sources.reverse();
    vi.stubEnv("HOME", "/elsewhere");
    expect(key()).toBe(before);
  });

  it.each<[change: string, () => unknown]>([
    ["a source", () => appendFileSync(inProject("app.ts"), "!")],
    ["a file deep in a source folder", () => appendFileSync(inProject("lib/deep/part.ts"), "!")],
    [
      "a file's name",
      () => {
        rmSync(inProject("lib/deep/part.ts"));
        writeFileSync(inProject("lib/deep/other.ts"), "lib/deep/part.ts");
      },
    ],
    ["a new file", () => writeFileSync(inProject("lib/deep/new.ts"), "")],
    ["a deleted file", () => rmSync(inProject("lib/deep/part.ts"))],
    ["a listed file that was missing", () => writeFileSync(inProject("not-there-yet.json"), "")],
    ["the list of sources", () => sources.pop()],
    ["the context", () => (context = '{"issuer":"http://127.0.0.1:4000"}')],
    ["a variable that CDK reads", () => vi.stubEnv("CDK_DEFAULT_REGION", "eu-west-1")],
    ["the options of Node", () => vi.stubEnv("NODE_OPTIONS", "--conditions=development")],
    ["the version of Node", () => vi.spyOn(process, "version", "get").mockReturnValue("v26.0.0")],
  ])("changes an assembly's key with %s", (_, change) => {
    const before = key();
    change();
    expect(key()).not.toBe(before);
  });
});

describe("isCurrent", () => {
  let folder: string;

  beforeEach(() => {
    folder = join(temporaryFolder(), "cdk.out");
    mkdirSync(folder);
    writeFileSync(join(folder, "template"), "{}");
    keepKey(folder, "key");
  });

  it("treats an assembly as current while it matches its key", () => {
    expect(isCurrent(folder, "key")).toBe(true);
    expect(isCurrent(folder, "another key")).toBe(false);
    expect((statSync(`${folder}.key.json`).mode & 0o777).toString(8)).toBe("600");
  });

  it.each<[change: string, () => unknown]>([
    ["one of its files changed", () => appendFileSync(join(folder, "template"), "!")],
    ["one of its files was deleted", () => rmSync(join(folder, "template"))],
    ["a file was added", () => writeFileSync(join(folder, "asset"), "")],
    ["the whole folder was deleted", () => rmSync(folder, { recursive: true })],
    ["its key cannot be read", () => writeFileSync(`${folder}.key.json`, "{")],
    ["its key was removed", () => removeKey(folder)],
  ])("treats an assembly as outdated if %s", (_, change) => {
    change();
    expect(isCurrent(folder, "key")).toBe(false);
  });
});
