import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createReaper, type EndSignal } from "../src/processes.ts";
import { temporaryFolder } from "./fixtures/folder.ts";

/** Starts a process that on SIGTERM runs `before`, writes a file and ends. */
async function saving(before = ":") {
  const saved = join(temporaryFolder(), "saved");
  const script = `trap '${before}; touch ${saved}; exit 0' TERM; echo ready; while :; do sleep 0.01; done`;
  const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"], detached: true });
  await once(child.stdout, "data");
  return { child, ended: once(child, "exit"), hasSaved: () => existsSync(saved) };
}

describe("createReaper", () => {
  it.each<[EndSignal | undefined, boolean, string | null]>([
    ["TERM", true, null],
    [undefined, false, "SIGKILL"],
  ])("ends a process that it watches with %s: saved is %s", async (signal, isSaved, endedBy) => {
    const { child, ended, hasSaved } = await saving();
    const reaper = createReaper();
    reaper.watch(child, signal);
    await reaper.close();
    expect(await ended).toEqual([endedBy === null ? 0 : null, endedBy]);
    expect(hasSaved()).toBe(isSaved);
  });

  it("kills a process that takes too long to save", async () => {
    const { child, ended, hasSaved } = await saving("sleep 60");
    const reaper = createReaper({ saveSeconds: 0.2 });
    reaper.watch(child, "TERM");
    await reaper.close();
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(hasSaved()).toBe(false);
  });

  it("sends no signal to a process group that has ended", async () => {
    const [first, second] = [await saving(), await saving()];
    const reaper = createReaper();
    for (const { child } of [first, second]) reaper.watch(child, "TERM");
    first.child.kill("SIGKILL");
    await first.ended;
    await reaper.close();
    expect([first.hasSaved(), second.hasSaved()]).toEqual([false, true]);
  });
});
