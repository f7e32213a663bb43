import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
describe("the MCP server's program", () => {
  it.each<[string, Record<string, string>, string]>([
    ["no token", {}, "TERMINAL_TOKEN must be an access token"],
    ["quotes of an hour", { TERMINAL_QUOTE_SECONDS: "3600" }, "must be a number from 1 to 60"],
  ])("says on the error output what is wrong with %s, and ends", async (_, given, message) => {
    const env = { PATH: process.env.PATH, TERMINAL_URL: "http://127.0.0.1:9", ...given };
    const ended = await run(process.execPath, ["lib/mcp/main.ts"], { env }).catch((error) => error);
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
  });
});
