import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const root = mkdtempSync(join(tmpdir(), "node-"));
afterAll(() => rmSync(root, { recursive: true }));

/** Creates a folder with a fake `node` executable, which prints its version or its arguments. */
function nodeOf(version: string): string {
  const folder = join(root, version);
  mkdirSync(folder);
  writeFileSync(join(folder, "node"), `#!/bin/sh\n[ "$*" = --version ] && echo ${version} || echo "$@"\n`, {
    mode: 0o755,
  });
  return folder;
}

const bin = join(root, "node_modules/.bin");
mkdirSync(bin, { recursive: true });
symlinkSync(resolve("bin/node.sh"), join(bin, "node"));
copyFileSync(".nvmrc", join(root, ".nvmrc"));

/** Runs `node` like an npm script on a machine whose PATH has these folders. */
const node = (...folders: string[]) =>
  promisify(execFile)("/bin/sh", ["-c", "node -p 'a b'"], {
    env: { PATH: [bin, ...folders, "/usr/bin", "/bin"].join(":") },
  });

describe("bin/node.sh", () => {
  it("passes all arguments to the Node in PATH if its version matches .nvmrc", async () => {
    expect((await node(nodeOf("v24.99.0"))).stdout).toBe("-p a b\n");
  });

  it.each(["v20.1.0", "v240.1.0"])("refuses %s, and says how to get the right Node", async (version) => {
    await expect(node(nodeOf(version))).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: `npm scripts need Node 24, and PATH has ${version}. Install it, for example with: nvm install\n`,
    });
  });
});
