import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runRelease } from "../../../lib/tools/release/program.ts";

let root = "";
const changelog = (unreleased: string) =>
  `# Changelog\n\n## [Unreleased]\n${unreleased}\n## [1.9.0] - 2026-01-01\n\n- Old.\n`;
const read = (file: string) => readFileSync(join(root, file), "utf8");
const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });

function commit(text: string, client = "1.10.0") {
  writeFileSync(join(root, "docs/CHANGELOG.md"), text);
  writeFileSync(join(root, "package.json"), '{"version":"1.10.0","workspaces":["client"]}');
  writeFileSync(join(root, "client/package.json"), JSON.stringify({ version: client }));
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "Change");
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "release-"));
  for (const folder of ["docs", "client"]) mkdirSync(join(root, folder));
  git("init", "-q");
  commit(changelog("\n### Added\n\n- [New](api.md#new), [site](https://a.example).\n"));
});
afterEach(() => rmSync(root, { recursive: true }));

async function release(...args: string[]) {
  let err = "";
  const stdout = { write: () => true };
  const stderr = { write: (text: string) => (err += text) };
  const date = "2026-02-03";
  const code = await runRelease(args, { stdout, stderr, root, date, hashes: () => "hash  a/index.mjs\n" });
  return { code, err };
}

it("makes the section, notes with links from their folder, and hashes, and no tag", async () => {
  expect(await release("1.10.0")).toEqual({ code: 0, err: "" });
  expect(read("docs/CHANGELOG.md")).toBe(
    "# Changelog\n\n## [Unreleased]\n\n## [1.10.0] - 2026-02-03\n\n### Added\n\n- [New](api.md#new), [site](https://a.example).\n\n## [1.9.0] - 2026-01-01\n\n- Old.\n",
  );
  const notes = read("docs/releases/1.10.0.md");
  expect(notes).toContain(
    "# 1.10.0 (2026-02-03)\n\n### Added\n\n- [New](../api.md#new), [site](https://a.example).\n",
  );
  expect(read("docs/releases/1.10.0.sha256")).toBe("hash  a/index.mjs\n");
  expect(git("tag").toString()).toBe("");
});

it.each(["1.9.0", "1.8.9", "0.10.0", "v2.0.0", "2.0", "02.0.0", "../2.0.0"])(
  "refuses the version %s after 1.9.0",
  async (version) => {
    expect(await release(version)).toEqual({ code: 1, err: expect.stringContaining("is no version after") });
    expect(git("status", "--porcelain").toString()).toBe("");
  },
);

it("refuses an empty section, and changes that are not committed", async () => {
  commit(changelog(""));
  expect((await release("2.0.0")).err).toContain("is empty");
  commit(changelog("- New.\n"));
  writeFileSync(join(root, "a.ts"), "");
  expect((await release("1.10.0")).err).toContain("Commit your changes first");
});

it("refuses a version that a package does not have", async () => {
  commit(changelog("- New.\n"), "1.9.0");
  expect(await release("1.10.0")).toEqual({
    code: 1,
    err: expect.stringContaining("client/package.json has another version. Set all: npm version 1.10.0"),
  });
  expect(git("status", "--porcelain").toString()).toBe("");
});

it("treats a missing version as wrong usage", async () => {
  expect((await release()).code).toBe(2);
});
