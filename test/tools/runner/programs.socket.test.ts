import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { Script } from "node:vm";
import { describe, expect, it } from "vitest";

const bin = resolve(import.meta.dirname, "../../../bin");

describe("the programs of bin/", () => {
  const programs = globSync("*.ts", { cwd: bin }).sort();

  it("consists of admin, app, client-types, contracts, deploy, documents, hosts, local, plan, price, release, token, trade-demo and verify", () => {
    expect(programs.map((name) => name.replace(".ts", ""))).toEqual([
      "admin",
      "app",
      "client-types",
      "contracts",
      "deploy",
      "documents",
      "hosts",
      "local",
      "plan",
      "price",
      "release",
      "token",
      "trade-demo",
      "verify",
    ]);
  });

  it.each(programs)("lets a Node without TypeScript support parse %s", (program) => {
    expect(() => new Script(readFileSync(resolve(bin, program), "utf8"))).not.toThrow();
  });

  it("restarts a program on the installed Node if the current one cannot run TypeScript", async () => {
    const args = ["--no-strip-types", resolve(bin, "token.ts"), "--user", "bob", "--port", "1"];
    await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^No runner answers at http:\/\/127\.0\.0\.1:1\. [^\n]+\n$/),
    });
  });
});
