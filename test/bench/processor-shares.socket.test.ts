import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { shareProcessor, usedMs } from "./processor-shares.ts";

const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0];

it.runIf(process.platform === "linux")(
  "gives a function its share of a processor, until it ends",
  async () => {
    const name = "TerminalApi-pingFunction0A1B2C3D";
    const child = spawn(process.execPath, ["-e", "process.stdout.write('.'); for (;;);", name]);
    try {
      await once(child.stdout, "data");
      const pid = child.pid as number;
      const end = shareProcessor(process.pid, (each) => (each === "ping" ? 0.25 : 1));
      const [begunAt, before] = [performance.now(), usedMs(pid) as number];
      await delay(1000);
      const used = (usedMs(pid) as number) - before;
      end();
      expect(used / (performance.now() - begunAt)).toBeLessThan(0.45);
      expect(used).toBeGreaterThan(0);
      expect(stateOf(pid)).not.toBe("T");
    } finally {
      child.kill("SIGKILL");
    }
  },
);
