import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Handle, json } from "../../src/http/messages.ts";
import { freePort, type Listener, listen } from "../../src/http/server.ts";
import { createIssuer, signingKey } from "../../src/issuer/issuer.ts";
import { ISSUER_PATH, ownPaths } from "../../src/own-paths.ts";
import { memoryStore } from "../../src/storage/store.ts";
import { openDataDir } from "../../src/storage/workspace.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

async function run(program: "local" | "token", args: string[], environment: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, `../../../../bin/${program}.ts`), ...args],
    {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const status = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, out, err };
}

let issuing: Listener;
let other: Listener;

beforeAll(async () => {
  let handle: Handle = async () => json(503, {});
  issuing = await listen(
    0,
    (request) => handle(request),
    () => {},
  );
  const issuer = createIssuer(issuing.url + ISSUER_PATH, await signingKey(memoryStore), "local");
  const own = ownPaths(issuer, () => ({}));
  handle = async (request) => own(request) ?? json(404, {});
  other = await listen(
    0,
    async () => ({ status: 200, headers: [], body: Buffer.from("hello") }),
    () => {},
  );
});

afterAll(() => Promise.all([issuing.close(), other.close()]));

describe("token", () => {
  const token = (...args: string[]) => run("token", args);
  const here = () => ["--port", String(issuing.port)];

  test("prints a token and nothing else", async () => {
    const { status, out, err } = await token(
      "--user",
      "alice",
      "--username",
      "Alice",
      "--ref",
      "C",
      ...here(),
    );
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const claims = decodeJwt(out.trim());
    expect(claims).toMatchObject({ sub: "alice", preferred_username: "Alice", ref: "C" });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
  });

  test("prints one that has expired", async () => {
    const { out } = await token("--user", "alice", "--expires-in", "-60", ...here());
    expect(decodeJwt(out.trim()).exp).toBeLessThan(Date.now() / 1000);
  });

  test.each([
    ["nobody listens", () => freePort()],
    ["something else listens", async () => other.port],
  ])("tells in one line that %s", async (_, portOf) => {
    const port = await portOf();
    expect(await token("--user", "alice", "--port", String(port))).toEqual({
      status: 1,
      out: "",
      err: `No runner answers at http://127.0.0.1:${port}; start one with \`npm start\`, or name its --port.\n`,
    });
  });

  test("passes on why it was refused", async () => {
    const { status, err } = await token("--user", "x".repeat(300), ...here());
    expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(/^sub: [^\n]+\n$/) });
  });

  test.each([
    ["nothing", []],
    ["no port", ["--user", "a", "--port", "70000"]],
    ["no number of seconds", ["--user", "a", "--expires-in", "soon"]],
    ["an option that there is not", ["--user", "a", "--admin"]],
    ["a word too many", ["alice", "--user", "a"]],
  ])("%s is a mistake in usage", async (_, args) => {
    const { status, out, err } = await token(...args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/^error: /);
  });

  test("explains itself", async () => {
    const { status, out } = await token("--help");
    expect(status).toBe(0);
    expect(out).toContain("--expires-in <seconds>");
  });
});

describe("local", () => {
  const local = (args: string[], environment: Record<string, string> = {}) => run("local", args, environment);
  /** Ports that nobody else has. */
  const anywhere = ["--port", "0", "--stream-port", "0"];
  const lastLine = (output: string) => output.trimEnd().split("\n").at(-1);

  test("a port in use is told in one line", async () => {
    expect(await local(["--memory", "--port", String(other.port)])).toEqual({
      status: 1,
      out: "",
      err: `Port ${other.port} is in use; stop what listens on it, or choose another with --port.\n`,
    });
  });

  test("a stream port in use is told in one line, with its own option", async () => {
    expect(await local(["--memory", "--port", "0", "--stream-port", String(other.port)])).toEqual({
      status: 1,
      out: "",
      err: `Port ${other.port} is in use; stop what listens on it, or choose another with --stream-port.\n`,
    });
  });

  test("a data directory in use is told in one line", async () => {
    const dataDir = temporaryFolder();
    const held = openDataDir(dataDir);
    expect(await local([...anywhere, "--data-dir", dataDir])).toEqual({
      status: 1,
      out: "",
      err: `Another runner uses the data directory ${dataDir}; stop it, or choose another with --data-dir.\n`,
    });
    held.close();
  });

  test("a missing Java is told in one line, without waiting for the stacks", async () => {
    const { status, out, err } = await local(["--memory", ...anywhere], { JAVA_HOME: "/absent" });
    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(lastLine(err)).toMatch(
      /^DynamoDB Local needs Java 17 or newer, and \/absent\/bin\/java does not run: /,
    );
  });

  test.each([
    [["--port", "-1"]],
    [["--port", "x"]],
    [["--stream-idle-timeout", "0"]],
    [["--stream-duration", "86401"]],
    [["--color"]],
    [["extra"]],
  ])("%j is a mistake in usage", async (args) => {
    const { status, err } = await local(args);
    expect(status).toBe(2);
    expect(err).toMatch(/^error: /);
  });
});
