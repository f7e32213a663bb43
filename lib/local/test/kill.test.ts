import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assemblyFolder } from "./fixtures/assemblies.ts";
import { temporaryFolder } from "./fixtures/folder.ts";
import { descendants, survivors } from "./fixtures/processes.ts";

const script = fileURLToPath(import.meta.resolve("./fixtures/runner.ts"));
const running = new Set<ChildProcess>();
let assembly: string;
let second: Awaited<ReturnType<typeof startRunner>>;

beforeAll(() => {
  assembly = assemblyFolder("worker");
});

afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a runner in its own process and waits until it is up. */
async function startRunner(...args: string[]) {
  const child = launch(...args);
  const [{ baseUrl }] = (await once(child, "message")) as [{ baseUrl: string }];
  return { child, baseUrl };
}

function launch(...args: string[]): ChildProcess {
  const child = fork(script, [assembly, ...args], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  running.add(child);
  return child;
}

async function work(baseUrl: string, query: string): Promise<unknown> {
  return (await fetch(`${baseUrl}/work?${query}`)).json();
}

describe("the end of a runner", () => {
  it("leaves no process behind when killed, and lets the next runner find the data at once", async () => {
    const dataDir = join(temporaryFolder(), "data");
    const first = await startRunner(dataDir);
    for (let n = 0; n < 20; n++) await work(first.baseUrl, `does=write&id=${n}`);
    // Runs an endless loop, so that the sandbox cannot notice the end of its runner.
    const busy = await work(first.baseUrl, "does=process");
    const looping = fetch(`${first.baseUrl}/work?does=loop`).catch(() => {});
    await expect.poll(() => work(first.baseUrl, "does=process")).not.toBe(busy);
    const children = descendants(first.child.pid ?? 0);
    expect(children.map(({ pid }) => pid)).toContain(busy);
    expect(children.map(({ command }) => command).join()).toContain("DynamoDBLocal.jar");
    first.child.kill("SIGKILL");

    second = await startRunner(dataDir);
    for (let n = 0; n < 20; n++) expect(await work(second.baseUrl, `does=read&id=${n}`)).toBe(String(n));
    expect(await survivors(children)).toEqual([]);
    await looping;
  });

  it("ends everything in order on SIGTERM, even if npm sends another signal at once", async () => {
    const { child } = second;
    const children = descendants(child.pid ?? 0);
    expect(children.length).toBeGreaterThanOrEqual(3);
    child.kill("SIGTERM");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await survivors(children)).toEqual([]);
  });

  it("ends everything on SIGINT, even while it starts", async () => {
    const child = launch();
    await expect
      .poll(() => descendants(child.pid ?? 0).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(2);
    const children = descendants(child.pid ?? 0);
    child.kill("SIGINT");
    await once(child, "exit");
    expect(await survivors(children)).toEqual([]);
  });
});
