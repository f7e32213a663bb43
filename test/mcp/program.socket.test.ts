import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "mcp-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, mode: number, content = "{}") => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode });
  return path;
};

const secret = "MC4CAQAwBQYDK2Vw";

describe("the MCP server's program", () => {
  it.each<[string, Record<string, string>, string]>([
    ["no key", {}, "TERMINAL_KEY_FILE must name the file"],
    ["a key that others can read", { TERMINAL_KEY_FILE: file("open.json", 0o644) }, "Others can read"],
    ["a key alone", { TERMINAL_KEY_FILE: file("raw.json", 0o600, secret) }, "must be JSON with userID"],
    ["an incomplete key", { TERMINAL_KEY_FILE: file("half.json", 0o600) }, "key needs userID"],
    ["quotes of an hour", { TERMINAL_QUOTE_SECONDS: "3600" }, "must be a number from 1 to 60"],
  ])("says on the error output what is wrong with %s, and ends", async (_, given, message) => {
    const env = { PATH: process.env.PATH, TERMINAL_URL: "http://127.0.0.1:9", ...given };
    const ended = await run(process.execPath, ["lib/mcp/main.ts"], { env }).catch((error) => error);
    expect(ended.stderr).not.toContain(secret.slice(0, 4));
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
  });
});
