import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logFiles } from "../../src/storage/log-files.ts";
import { openDataDir, openMemory } from "../../src/storage/workspace.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

const fresh = () => join(temporaryFolder(), "deep", "data");
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("the folder is its owner's alone, even one that was there", () => {
  const path = fresh();
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  openDataDir(path).close();
  expect(mode(path)).toBe("700");
});

test("what is saved comes back, in a file that only its owner reads", () => {
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

test("a draft that a crash has left is no harm", () => {
  const path = fresh();
  const { store, close } = openDataDir(path);
  writeFileSync(join(path, "kms.json.draft"), '{"half');
  store.save("kms", [1]);
  expect(store.load("kms")).toEqual([1]);
  close();
});

test("log lines are appended to a private file per source", () => {
  const path = fresh();
  const { logs = "", close } = openDataDir(path);
  logFiles(logs)({ source: "fn", line: "one" });
  logFiles(logs)({ source: "fn", line: "two" });
  expect(readFileSync(join(logs, "fn.log"), "utf8")).toBe("one\ntwo\n");
  expect(mode(join(logs, "fn.log"))).toBe("600");
  close();
});

test("one runner at a time", () => {
  const path = fresh();
  const first = openDataDir(path);
  expect(() => openDataDir(path)).toThrow(
    `Another runner uses the data directory ${path}; stop it, or choose another with --data-dir.`,
  );
  first.close();
  openDataDir(path).close();
});

test("the lock ends with its process, however that ends", () => {
  const path = fresh();
  const module = new URL("../../src/storage/workspace.ts", import.meta.url).href;
  const script = `const { openDataDir } = await import(${JSON.stringify(module)});
    openDataDir(${JSON.stringify(path)}); process.kill(process.pid, "SIGKILL");`;
  const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
  expect(signal).toBe("SIGKILL");
  openDataDir(path).close();
});

test("a folder that cannot be made is told in one line", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => openDataDir(join(file, "below"))).toThrow(
    /^Cannot use \S+ \(ENOTDIR\); choose another place with --data-dir\.$/,
  );
});

test("what a run keeps for itself is gone with it, also when it was killed", () => {
  const path = fresh();
  const killed = join(path, "temporary", "of a run that was killed");
  mkdirSync(killed, { recursive: true });
  const { temporary, close } = openDataDir(path);
  expect(readdirSync(temporary)).toEqual([]);
  expect(mode(temporary)).toBe("700");
  writeFileSync(join(temporary, "of this run"), "");
  close();
  expect(readdirSync(path)).not.toContain("temporary");
});

test("memory keeps nothing", () => {
  const memory = openMemory();
  memory.store.save("kms", 1);
  expect(memory.store.load("kms")).toBeUndefined();
  expect(memory).not.toHaveProperty("logs");
  expect(memory).not.toHaveProperty("database");
  mkdirSync(memory.assembly, { recursive: true });
  memory.close();
  expect(() => statSync(memory.assembly)).toThrow("ENOENT");
});
