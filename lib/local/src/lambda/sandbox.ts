import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { killGroup } from "../processes/kill-group.ts";
import { onLine } from "../processes/on-line.ts";
import type { FunctionDefinition } from "./function-definition.ts";
import type { InvokeResult } from "./invoke.ts";
import { answered, exited, threw, timedOut } from "./outcome.ts";
import { logLine } from "./sandbox/log-format.ts";
import { type EventMessage, REPORTS, type Report } from "./sandbox/protocol.ts";
import { settingsOf } from "./sandbox-settings.ts";

/** A process that runs one function, one event at a time. What it breaks, it breaks for itself. */
export type Sandbox = {
  /** False once it has ended, or has to: it takes no further event. */
  readonly usable: boolean;
  invoke(payload: string): Promise<InvokeResult>;
  stop(): Promise<void>;
};

export type SandboxOptions = {
  environment: Record<string, string>;
  onLog: (line: string) => void;
  /** Hears of the process as soon as there is one. */
  onStart: (child: ChildProcess) => void;
};

/** Lambda's own limit for loading a handler. */
const INIT_SECONDS = 10;

export function createSandbox(definition: FunctionDefinition, options: SandboxOptions): Sandbox {
  // The name is there for who looks at the list of processes.
  const child = fork(fileURLToPath(import.meta.resolve("./sandbox/bootstrap.ts")), [definition.name], {
    cwd: definition.codeFolder,
    env: options.environment,
    execArgv: [`--max-old-space-size=${definition.memorySize}`],
    stdio: ["ignore", "pipe", "pipe", "ipc", "pipe"],
    // Ctrl-C in a terminal is for the runner alone.
    detached: true,
  });
  options.onStart(child);
  child.send(settingsOf(definition));
  const hear = (fd: number, listener: (line: string) => void) =>
    onLine(child.stdio[fd] as Readable, listener);
  hear(1, options.onLog);
  hear(2, options.onLog);

  let usable = true;
  let current: { requestId: string; settle: (result: InvokeResult) => void } | undefined;
  let clock: NodeJS.Timeout | undefined;
  const ended = Promise.withResolvers<void>();

  function settle(result: (requestId: string) => InvokeResult): void {
    clearTimeout(clock);
    const settled = current;
    current = undefined;
    settled?.settle(result(settled.requestId));
  }

  function end(result: (requestId: string) => InvokeResult): void {
    usable = false;
    settle(result);
    killGroup(child);
  }

  function allow(seconds: number): void {
    clearTimeout(clock);
    clock = setTimeout(() => {
      const message = `Task timed out after ${seconds.toFixed(2)} seconds`;
      options.onLog(logLine(definition.log.format, "ERROR", current?.requestId, [message]));
      end((requestId) => timedOut(requestId, message));
    }, seconds * 1000);
  }

  hear(REPORTS, (line) => {
    const report: Report = JSON.parse(line);
    switch (report.type) {
      case "log":
        return options.onLog(report.line);
      case "started":
        return allow(definition.timeout);
      case "answer":
        return settle(() => answered(report.payload));
      case "error":
        return settle(() => threw(report.payload));
      case "broken":
        return end(() => threw(report.payload));
    }
  });
  child.on("error", () => {
    // Sending to a process that has just ended. Its end is told by "close".
  });
  child.on("exit", () => {
    usable = false;
  });
  // Only now has the last report been read.
  child.on("close", (code, signal) => {
    settle((requestId) => exited(requestId, code, signal));
    ended.resolve();
  });

  return {
    get usable() {
      return usable;
    },
    invoke(payload) {
      const { promise, resolve } = Promise.withResolvers<InvokeResult>();
      const requestId = randomUUID();
      current = { requestId, settle: resolve };
      allow(INIT_SECONDS);
      child.send({ requestId, payload } satisfies EventMessage);
      return promise;
    },
    stop() {
      killGroup(child);
      return ended.promise;
    },
  };
}
