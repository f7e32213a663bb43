import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { killGroup } from "../processes.ts";
import type { FunctionDefinition } from "./function-definition.ts";
import { answered, exited, type InvokeResult, threw, timedOut } from "./invoke.ts";
import { logLine } from "./sandbox/log.ts";
import { type EventMessage, REPORTS_FD, type Report, type SandboxSettings } from "./sandbox/protocol.ts";

/** A process that runs one function, one event at a time. If it breaks, other sandboxes keep working. */
export type Sandbox = {
  /** False once the process has ended or is about to end. It then takes no events. */
  readonly usable: boolean;
  /** Resolves once the function is loaded, or loading has failed. */
  readonly loaded: Promise<void>;
  /** Resolves once the process has ended and its output has been read. */
  readonly ended: Promise<void>;
  invoke(payload: string): Promise<InvokeResult>;
  /** Kills the process. An event in progress fails. */
  stop(): void;
};

export type SandboxOptions = {
  environment: Record<string, string>;
  /** Addresses that the process may connect to, as `address:port`. Undefined allows any address. */
  reachable?: readonly string[] | undefined;
  /**
   * Folder where processes store compiled code, so that later processes start in half the time. Without a folder,
   * nothing is stored.
   */
  codeCache?: string | undefined;
  onLog: (line: string) => void;
  /** Called with the process as soon as it exists. */
  onStart: (child: ChildProcess) => void;
  /**
   * Returns the milliseconds after which an event's process is killed before it can answer. Undefined if it is not
   * killed.
   */
  killAfterMs?: (() => number | undefined) | undefined;
};

/** Lambda's limit for loading a handler. */
const INIT_SECONDS = 10;

export function createSandbox(definition: FunctionDefinition, options: SandboxOptions): Sandbox {
  // Adds an argument only to identify the process in lists of processes.
  const program = options.reachable ? join(plainPrograms(), "bootstrap.mjs") : join(programs, "bootstrap.ts");
  const child = fork(program, [definition.name], {
    cwd: definition.codeFolder,
    env: { ...options.environment, ...cacheVariable(options) },
    execArgv: [
      `--max-old-space-size=${definition.memoryMB}`,
      ...(options.reachable ? permissions(definition) : []),
    ],
    stdio: ["ignore", "pipe", "pipe", "ipc", "pipe"],
    // Starts a separate process group, so that Ctrl-C in a terminal reaches only the runner.
    detached: true,
  });
  options.onStart(child);
  child.send(settingsOf(definition, options.reachable));
  const readLines = (fd: number, listener: (line: string) => void) =>
    onLine(child.stdio[fd] as Readable, listener);
  readLines(1, options.onLog);
  readLines(2, options.onLog);

  let usable = true;
  let current: { requestId: string; settle: (result: InvokeResult) => void } | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Set if the process will be killed before it answers the event. */
  let killer: NodeJS.Timeout | undefined;
  const loaded = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();

  function settle(result: (requestId: string) => InvokeResult): void {
    clearTimeout(timer);
    clearTimeout(killer);
    killer = undefined;
    const settled = current;
    current = undefined;
    settled?.settle(result(settled.requestId));
  }

  function end(result: (requestId: string) => InvokeResult): void {
    usable = false;
    loaded.resolve();
    settle(result);
    killGroup(child);
  }

  function allow(seconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const message = `Task timed out after ${seconds.toFixed(2)} seconds`;
      options.onLog(logLine(definition.log.format, "ERROR", current?.requestId, [message]));
      end((requestId) => timedOut(requestId, message));
    }, seconds * 1000);
  }

  readLines(REPORTS_FD, (line) => {
    const report: Report = JSON.parse(line);
    switch (report.type) {
      case "log":
        return options.onLog(report.line);
      case "started": {
        loaded.resolve();
        const ms = options.killAfterMs?.();
        if (ms !== undefined) killer = setTimeout(() => killGroup(child), ms);
        return allow(definition.timeoutSeconds);
      }
      case "answer":
        if (killer !== undefined) return killGroup(child);
        return settle(() => answered(report.payload));
      case "error":
        return settle(() => threw(report.payload));
      case "broken":
        return end(() => threw(report.payload));
    }
  });
  child.on("error", () => {
    // A message could not be sent because the process has just ended. The event "close" follows.
  });
  child.on("exit", () => {
    usable = false;
  });
  // Waits for "close", which unlike "exit" comes after the last report has been read.
  child.on("close", (code, signal) => {
    settle((requestId) => exited(requestId, code, signal));
    loaded.resolve();
    ended.resolve();
  });

  return {
    get usable() {
      return usable;
    },
    loaded: loaded.promise,
    ended: ended.promise,
    invoke(payload) {
      const { promise, resolve } = Promise.withResolvers<InvokeResult>();
      const requestId = randomUUID();
      current = { requestId, settle: resolve };
      allow(INIT_SECONDS);
      child.send({ requestId, payload } satisfies EventMessage);
      return promise;
    },
    stop() {
      usable = false;
      killGroup(child);
    },
  };
}

/**
 * Withholds this shared folder from walled processes, which may not write to it. The bootstrap program removes the
 * variable.
 */
const cacheVariable = ({ codeCache, reachable }: SandboxOptions) =>
  codeCache !== undefined && reachable === undefined ? { NODE_COMPILE_CACHE: codeCache } : {};

/** Folder of the program that runs in a sandbox's process. */
const programs = join(import.meta.dirname, "sandbox");

let plainFolder: string | undefined;

/**
 * Copies the program of a sandbox to plain JavaScript. Walled processes store no compiled code, so each of them would
 * spend 40 ms of processor time on reading TypeScript, which Lambda's runtime does not.
 */
function plainPrograms(): string {
  if (plainFolder !== undefined) return plainFolder;
  // Resolves links, because Node checks permissions by real paths.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "cdk-local-runner-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(programs)) {
    const code = withoutTypes(readFileSync(join(programs, name), "utf8"));
    writeFileSync(join(folder, name.replace(/ts$/, "mjs")), code.replaceAll(/(?<=\.\/\w+\.)ts"/g, 'mjs"'));
  }
  plainFolder = folder;
  return folder;
}

/** Strips types, without Node's warning that this is experimental. */
function withoutTypes(code: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Options for Node's permissions. Without them, code could leave its process and the walls around it. It may read only
 * its own files.
 */
const permissions = ({ codeFolder }: FunctionDefinition) => [
  "--permission",
  ...[codeFolder, plainPrograms()].map((folder) => `--allow-fs-read=${folder}`),
];

function settingsOf(definition: FunctionDefinition, reachable: SandboxOptions["reachable"]): SandboxSettings {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    codeFolder: definition.codeFolder,
    handler: definition.handler,
    timeoutSeconds: definition.timeoutSeconds,
    log: definition.log,
    reachable,
    context: {
      functionName: definition.name,
      functionVersion: "$LATEST",
      invokedFunctionArn: definition.arn,
      memoryLimitInMB: String(definition.memoryMB),
      logGroupName: definition.log.group,
      // Gives each sandbox a separate log stream.
      logStreamName: `${day}/[$LATEST]${randomUUID().replaceAll("-", "")}`,
    },
  };
}

/** Calls the listener with every line. Unlike `readline`, it splits only at newlines and not at U+2028. */
function onLine(input: Readable, listener: (line: string) => void): void {
  let unfinished = "";
  input.setEncoding("utf8").on("data", (text: string) => {
    const [first = "", ...others] = text.split("\n");
    unfinished += first;
    for (const next of others) {
      listener(unfinished);
      unfinished = next;
    }
  });
  input.on("end", () => {
    if (unfinished !== "") listener(unfinished);
  });
}
