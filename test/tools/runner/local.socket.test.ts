import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runner, type StartOptions, start } from "cdk-local-runner";
import { freePort, type Listener, listen } from "cdk-local-runner/testing";
import { freePorts } from "trading-terminal-devnet/free-ports";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { main } from "../../../lib/tools/runner/local.ts";
import { stdioForTests } from "./support/stdio.ts";
import { runProgram } from "./support/wiring.ts";

/** Finds ports that nothing else uses. */
const anywhere = ["--port", "0", "--stream-port", "0", "--chain-port", "0"];

async function local(
  args: readonly string[],
  startRunner: (options: StartOptions) => Promise<Runner> = start,
) {
  const stdio = stdioForTests();
  const stops: (() => Promise<void>)[] = [];
  const status = await main(args, {
    ...stdio,
    start: startRunner,
    stopOnSignal: (stop) => stops.push(stop),
  });
  return { status, ...stdio.printed, stop: async () => stops[0]?.() };
}

/** Fakes a started runner. */
function startedWith(calls: string[]) {
  let options: StartOptions | undefined;
  const runner: Partial<Runner> = {
    baseUrl: "http://127.0.0.1:3000",
    streamUrl: "ws://127.0.0.1:3001",
    functions: [],
    token: async ({ sub, expiresIn }) => `token-of-${sub}-${expiresIn}`,
    stop: async () => void calls.push("stop"),
  };
  return {
    start: async (given: StartOptions) => {
      options = given;
      given.onStep?.("Making the tables");
      return runner as Runner;
    },
    get options() {
      return options;
    },
  };
}

describe("local", () => {
  let taken: Listener;
  beforeAll(async () => {
    taken = await listen(
      0,
      async () => ({ status: 200, headers: [], body: Buffer.from("") }),
      () => {},
    );
  });
  afterAll(() => taken.close());

  it("starts the runner with the given options and prints a welcome once it serves", async () => {
    const calls: string[] = [];
    const started = startedWith(calls);
    const args = [
      "--port",
      "4000",
      "--stream-port",
      "4001",
      "--stream-idle-timeout",
      "5",
      "--data-dir",
      "/x/y",
      "--conflicts",
      "--chance",
      "7",
    ];
    const { status, out, err, stop } = await local(args, started.start);
    expect(started.options).toMatchObject({
      port: 4000,
      streamPort: 4001,
      streamLimits: { idleMs: 5000, durationMs: 7_200_000 },
      audience: "trading-terminal",
      conflicts: true,
      faults: false,
      chance: 7,
      dataDir: "/x/y",
      seed: expect.any(Function),
    });
    expect({ status, err }).toEqual({ status: 0, err: "Making the tables\n" });
    expect(out).toContain("base_url   http://127.0.0.1:3000\n");
    expect(out).toContain("TOKEN=token-of-alice-3600\n");
    expect(calls).toEqual([]);
    await stop();
    expect(calls).toEqual(["stop"]);
  });

  it("stores nothing on disk with --memory", async () => {
    const started = startedWith([]);
    expect((await local(["--memory"], started.start)).out).toContain("data       in memory\n");
    expect(started.options).toMatchObject({ dataDir: undefined });
  });

  it("starts fresh chains with --reset-chains", async () => {
    expect((await local(["--memory", "--reset-chains"], startedWith([]).start)).status).toBe(0);
  });

  it("closes everything it started if the runner fails", async () => {
    const port = await freePort();
    const chainPort = await freePorts(chainPorts);
    const failing = async ({ assembly }: StartOptions): Promise<Runner> => {
      const site = {
        issuer: `http://127.0.0.1:${port}`,
        jwksUri: "",
        folder: "/dev/null/x",
        reaper: undefined,
      };
      if (typeof assembly === "function") await assembly(site as never);
      throw new Error("unreachable");
    };
    const { status, out } = await local(["--memory", "--chain-port", `${chainPort}`], failing);
    expect({ status, out }).toEqual({ status: 1, out: "" });
    const venuePort = port < 45_536 ? port + 20_000 : port - 20_000;
    for (const used of [venuePort, ...Array.from({ length: chainPorts }, (_, index) => chainPort + index)])
      await expect(fetch(`http://127.0.0.1:${used}`), `${used}`).rejects.toThrow();
  });

  it.each([["--port"], ["--stream-port"]])(
    "reports in one line that the port of %s is in use",
    async (option) => {
      expect(await local(["--memory", ...anywhere, option, `${taken.port}`])).toMatchObject({
        status: 1,
        out: "",
        err: expect.stringMatching(new RegExp(`^Port ${taken.port} is in use[^\\n]+${option}\\.\\n$`)),
      });
    },
  );

  it("reports a missing Java in one line without waiting for the stacks", async () => {
    vi.stubEnv("JAVA_HOME", "/absent");
    const { status, out, err } = await local(["--memory", ...anywhere]);
    vi.unstubAllEnvs();
    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(err.trimEnd().split("\n").at(-1)).toMatch(
      /^DynamoDB Local needs Java 17 or newer, and \/absent\/bin\/java does not run: /,
    );
  });

  it.each([
    [["--port", "x"]],
    [["--stream-idle-timeout", "0"]],
    [["--stream-duration", "86401"]],
    [["--chance", "1.5"]],
    [["--chain-port", "65527"]],
    [["--no-chains", "--reset-chains"]],
    [["extra"]],
  ])("exits with status 2 for the arguments %j", async (args) => {
    expect(await local(args)).toMatchObject({ status: 2, out: "", err: expect.stringMatching(/^error: /) });
  });

  it("runs through bin/local.ts", async () => {
    const folder = mkdtempSync(join(tmpdir(), "local-program-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const args = ["--port", `${taken.port}`, "--data-dir", join(folder, "data")];
    expect(await runProgram("local", args)).toEqual({
      status: 1,
      out: "",
      err: expect.stringMatching(new RegExp(`^Port ${taken.port} is in use[^\\n]+\\n$`)),
    });
  });
});
