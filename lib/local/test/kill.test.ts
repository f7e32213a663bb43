import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, test } from "vitest";
import { synthesizeFixture } from "./fixtures/assembly.ts";
import { temporaryFolder } from "./fixtures/folder.ts";
import { descendants, survivors } from "./fixtures/processes.ts";

const script = fileURLToPath(import.meta.resolve("./fixtures/runner.ts"));
const running = new Set<ChildProcess>();
let assembly: string;

beforeAll(() => {
  assembly = synthesizeFixture();
});

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

/** A runner in its own process, once it is up. */
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

test("killed, a runner leaves no process, and the next one finds the data at once", async () => {
  const dataDir = join(temporaryFolder(), "data");
  const first = await startRunner(dataDir);
  for (let n = 0; n < 20; n++) await work(first.baseUrl, `does=write&id=${n}`);
  // Busy for good, it can neither notice nor hear that its runner is gone.
  const busy = await work(first.baseUrl, "does=process");
  const looping = fetch(`${first.baseUrl}/work?does=loop`).catch(() => {});
  await expect.poll(() => work(first.baseUrl, "does=process")).not.toBe(busy);
  const children = descendants(first.child.pid ?? 0);
  expect(children.map(({ pid }) => pid)).toContain(busy);
  expect(children.map(({ command }) => command).join()).toContain("DynamoDBLocal.jar");
  first.child.kill("SIGKILL");

  const second = await startRunner(dataDir);
  for (let n = 0; n < 20; n++) expect(await work(second.baseUrl, `does=read&id=${n}`)).toBe(String(n));
  expect(await survivors(children)).toEqual([]);
  await looping;
});

test.each(["SIGINT", "SIGTERM"] as const)("%s ends everything in order", async (signal) => {
  const { child, baseUrl } = await startRunner();
  await work(baseUrl, "does=process");
  const children = descendants(child.pid ?? 0);
  expect(children.length).toBeGreaterThanOrEqual(3);
  child.kill(signal);
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await survivors(children)).toEqual([]);
});

test("while it starts, a signal ends it too", async () => {
  const child = launch();
  await expect.poll(() => descendants(child.pid ?? 0).length, { timeout: 5000 }).toBeGreaterThanOrEqual(2);
  const children = descendants(child.pid ?? 0);
  child.kill("SIGINT");
  await once(child, "exit");
  expect(await survivors(children)).toEqual([]);
});
