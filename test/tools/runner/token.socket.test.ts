import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { freePort } from "cdk-local-runner/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../../lib/tools/runner/token.ts";
import { stdioForTests } from "./support/stdio.ts";
import { runProgram } from "./support/wiring.ts";

/** Fakes a server that always gives the same answer and records the requests. */
async function serving(status: number, answer: string) {
  const asked: unknown[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ path: request.url, body: await json(request) });
    response.writeHead(status).end(answer);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { asked, port: (server.address() as AddressInfo).port };
}

async function token(...args: string[]) {
  const stdio = stdioForTests();
  return { status: await main(args, stdio), ...stdio.printed };
}

const granted = '{"access_token":"eyJ.x.y"}';

describe("token", () => {
  it("prints only the token from the runner on the given port", async () => {
    const { asked, port } = await serving(200, granted);
    const result = await token("--user", "bob", "--port", `${port}`);
    expect(result).toEqual({ status: 0, out: "eyJ.x.y\n", err: "" });
    expect(asked).toEqual([{ path: "/_local/issuer/token", body: { sub: "bob", expiresIn: 900 } }]);
  });

  it("requests the claims and lifetime given as options", async () => {
    const { asked, port } = await serving(200, granted);
    const claims = [
      "--username",
      "Bob",
      "--ref",
      "CODE",
      "--expires-in",
      "-60",
      "--signed-in-seconds-ago",
      "400",
    ];
    await token("--user", "bob", ...claims, "--port", `${port}`);
    const body = { sub: "bob", username: "Bob", ref: "CODE", expiresIn: -60, signedInSecondsAgo: 400 };
    expect(asked).toMatchObject([{ body }]);
  });

  it.each([
    ["nothing listens", freePort],
    ["something else listens", async () => (await serving(200, "hello")).port],
  ])("explains in one line that no runner answers when %s", async (_, portOf) => {
    const port = await portOf();
    expect(await token("--user", "bob", "--port", `${port}`)).toEqual({
      status: 1,
      out: "",
      err: `No runner answers at http://127.0.0.1:${port}. Start one with \`npm start\`, or give its --port.\n`,
    });
  });

  it("prints the runner's reason for refusing a token", async () => {
    const { port } = await serving(400, '{"error":"sub: Invalid length"}');
    const result = await token("--user", "x".repeat(300), "--port", `${port}`);
    expect(result).toEqual({ status: 1, out: "", err: "sub: Invalid length\n" });
  });

  it.each([
    [[]],
    [["--user", "bob", "--port", "70000"]],
    [["--user", "bob", "--expires-in", "soon"]],
    [["bob", "--user", "bob"]],
  ])("exits with status 2 for the arguments %j", async (args) => {
    expect(await token(...args)).toMatchObject({
      status: 2,
      out: "",
      err: expect.stringMatching(/^error: /),
    });
  });

  it("runs through bin/token.ts", async () => {
    const { port } = await serving(200, granted);
    const result = await runProgram("token", ["--user", "bob", "--port", `${port}`]);
    expect(result).toEqual({ status: 0, out: "eyJ.x.y\n", err: "" });
  });
});
