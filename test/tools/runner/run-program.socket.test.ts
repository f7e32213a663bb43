import { StartupError } from "cdk-local-runner";
import { Command, InvalidArgumentError } from "commander";
import { describe, expect, it } from "vitest";
import { port, runProgram, seconds, timeLimit, withSite } from "../../../lib/tools/runner/run-program.ts";
import { stdioForTests } from "./support/stdio.ts";

describe("runProgram", () => {
  const run = async (
    args: string[],
    action: (options: { to?: string }) => Promise<void> = async () => {},
  ) => {
    const stdio = stdioForTests();
    const command = new Command("greet").description("Says hello.").option("--to <name>");
    const status = await runProgram(command, args, stdio, action);
    return { status, ...stdio.printed };
  };

  it("passes the parsed options to the action", async () => {
    let given: unknown;
    const result = await run(["--to", "bob"], async (options) => {
      given = options;
    });
    expect(result).toEqual({ status: 0, out: "", err: "" });
    expect(given).toEqual({ to: "bob" });
  });

  it.each([[["--color"]], [["--to"]], [["extra"]]])(
    "exits with status 2 and a reason for the arguments %j",
    async (args) => {
      const { status, out, err } = await run(args);
      expect({ status, out }).toEqual({ status: 2, out: "" });
      expect(err).toMatch(/^error: /);
    },
  );

  it("prints help on stdout", async () => {
    const { status, out, err } = await run(["--help"]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toContain("Says hello.");
  });

  it("prints a startup error as one line and any other error with its stack", async () => {
    const startup = () => Promise.reject(new StartupError("Port 3000 is in use."));
    expect(await run([], startup)).toEqual({ status: 1, out: "", err: "Port 3000 is in use.\n" });
    const { status, err } = await run([], () => Promise.reject(new TypeError("boom")));
    expect(status).toBe(1);
    expect(err).toMatch(/^TypeError: boom\n +at /);
  });
});

describe("arguments", () => {
  it.each([
    [port, "0", 0],
    [port, "65535", 65_535],
    [seconds, "900", 900],
    [seconds, "-60", -60],
    [timeLimit, "1", 1],
    [timeLimit, "86400", 86_400],
  ])("parses an argument with %o: %j", (parse, text, value) => {
    expect(parse(text)).toBe(value);
  });

  it.each([
    [port, ["-1", "65536", "1.5", "x", ""]],
    [seconds, ["1.5", "1e3", "soon", ""]],
    [timeLimit, ["0", "86401", "-1", "1.5", "1e3", "0x10", " 5", "", "soon"]],
  ])("rejects invalid arguments with %o: %j", (parse, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(InvalidArgumentError);
  });
});

describe("withSite", () => {
  it("adds an explorer site to the existing ones", () => {
    const before = { eth: "https://etherscan.io" };
    expect(withSite("sol=http://127.0.0.1:5100/", before)).toEqual({
      ...before,
      sol: "http://127.0.0.1:5100",
    });
  });

  it.each(["eth", "eth=", "=https://a.io", "eth=ftp://a.io", "eth=javascript:alert(1)", "moon=https://a.io"])(
    "rejects the invalid site %j",
    (text) => {
      expect(() => withSite(text, {})).toThrow(InvalidArgumentError);
    },
  );
});
