import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logFiles, openDataDir, openMemory } from "../../src/storage/workspace.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

const fresh = () => join(temporaryFolder(), "deep", "data");
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("openDataDir", () => {
  it("makes an existing data dir private", () => {
    const path = fresh();
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
    openDataDir(path).close();
    expect(mode(path)).toBe("700");
  });

  it("stores secrets in private files", () => {
    const path = fresh();
    const first = openDataDir(path);
    expect(first.store.load("kms")).toBeUndefined();
    first.store.save("kms", { a: 1 });
    first.store.save("kms", { a: 2 });
    first.close();
    const second = openDataDir(path);
    expect(second.store.load("kms")).toEqual({ a: 2 });
    second.close();
    expect(mode(join(path, "kms.json"))).toBe("600");
    expect(readdirSync(path).filter((name) => name.startsWith("kms"))).toEqual(["kms.json"]);
  });

  it("removes compiled code of handlers after a week", () => {
    const path = fresh();
    const { codeCache, close } = openDataDir(path);
    close();
    mkdirSync(join(codeCache, "v24"));
    for (const name of ["old", "new"]) writeFileSync(join(codeCache, "v24", name), "");
    const eightDaysAgo = Date.now() / 1000 - 8 * 86_400;
    utimesSync(join(codeCache, "v24", "old"), eightDaysAgo, eightDaysAgo);
    openDataDir(path).close();
    expect(readdirSync(join(codeCache, "v24"))).toEqual(["new"]);
  });

  it("ignores a draft left by a crash", () => {
    const path = fresh();
    const { store, close } = openDataDir(path);
    writeFileSync(join(path, "kms.json.draft"), '{"half');
    store.save("kms", [1]);
    expect(store.load("kms")).toEqual([1]);
    close();
  });

  it("appends log lines to a private file for each source", () => {
    const path = fresh();
    const { logs = "", close } = openDataDir(path);
    logFiles(logs)({ source: "fn", line: "one" });
    logFiles(logs)({ source: "fn", line: "two" });
    expect(readFileSync(join(logs, "fn.log"), "utf8")).toBe("one\ntwo\n");
    expect(mode(join(logs, "fn.log"))).toBe("600");
    close();
  });

  it("rejects a folder that another runner uses", () => {
    const path = fresh();
    const first = openDataDir(path);
    expect(() => openDataDir(path)).toThrow(
      `Another runner uses the data directory ${path}; stop it, or choose another with --data-dir.`,
    );
    first.close();
    openDataDir(path).close();
  });

  it("opens a folder again after its runner was killed", () => {
    const path = fresh();
    const module = new URL("../../src/storage/workspace.ts", import.meta.url).href;
    const script = `const { openDataDir } = await import(${JSON.stringify(module)});
    openDataDir(${JSON.stringify(path)}); process.kill(process.pid, "SIGKILL");`;
    const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    expect(signal).toBe("SIGKILL");
    openDataDir(path).close();
  });

  it("rejects a folder that cannot be created, with a one-line message", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(() => openDataDir(join(file, "below"))).toThrow(
      /^Cannot use \S+ \(ENOTDIR\); choose another place with --data-dir\.$/,
    );
  });

  it("deletes temporary files on close, and those of a killed run at the start", () => {
    const path = fresh();
    const killed = join(path, "temporary", "of-a-killed-run");
    mkdirSync(killed, { recursive: true });
    const { temporary, close } = openDataDir(path);
    expect(readdirSync(temporary)).toEqual([]);
    expect(mode(temporary)).toBe("700");
    writeFileSync(join(temporary, "of-this-run"), "");
    close();
    expect(readdirSync(path)).not.toContain("temporary");
  });
});

describe("openMemory", () => {
  it("leaves no files behind", () => {
    const memory = openMemory();
    memory.store.save("kms", 1);
    expect(memory.store.load("kms")).toBeUndefined();
    expect(memory).not.toHaveProperty("logs");
    expect(memory).not.toHaveProperty("database");
    mkdirSync(memory.assembly, { recursive: true });
    memory.close();
    expect(() => statSync(memory.assembly)).toThrow("ENOENT");
  });
});
