/** The program in a sandbox's process: loads one function's handler and passes it one event after the other. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { errorPayload, type Handler, loadHandler, RuntimeError } from "./handler.ts";
import { logLine, redirectConsole } from "./log.ts";
import { type EventMessage, REPORTS, type Report, type SandboxSettings, UNCAUGHT } from "./protocol.ts";

// Handlers get the environment of their template, and no more.
delete process.env.NODE_COMPILE_CACHE;

const [settings] = (await once(process, "message")) as [SandboxSettings];
let requestId: string | undefined;

process.on("disconnect", () => process.exit());
process.on("uncaughtException", (error) => {
  logError(error);
  process.exit(UNCAUGHT);
});
redirectConsole({
  ...settings.log,
  requestId: () => requestId,
  write: (line) => report({ type: "log", line }),
});

if (settings.reachable) {
  const { wallOff } = await import("./walls.ts");
  wallOff(settings.reachable, (what) =>
    logError(`Refused ${what}: this function is in a VPC, and reaches the endpoints there alone.`),
  );
}

try {
  const handler = await loadHandler(settings.codeFolder, settings.handler);
  process.on("message", (event: EventMessage) => handle(handler, event));
  // The process ends by a signal, too late to write the cache.
  flushCompileCache();
} catch (error) {
  logError(error);
  report({ type: "broken", payload: errorPayload(error) });
}

async function handle(handler: Handler, event: EventMessage): Promise<void> {
  requestId = event.requestId;
  report({ type: "started" });
  try {
    const answer = await handler(JSON.parse(event.payload), contextOf(event.requestId));
    report({ type: "answer", payload: stringify(answer) });
  } catch (error) {
    logError(error);
    report({ type: "error", payload: errorPayload(error) });
  }
}

function contextOf(awsRequestId: string) {
  const deadline = Date.now() + settings.timeoutSeconds * 1000;
  return {
    ...settings.context,
    awsRequestId,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function stringify(answer: unknown): string {
  try {
    return JSON.stringify(answer) ?? "null";
  } catch {
    throw new RuntimeError("Runtime.MarshalError", "Unable to stringify response body");
  }
}

function logError(error: unknown): void {
  report({ type: "log", line: logLine(settings.log.format, "ERROR", requestId, [error]) });
}

/** Synchronous, so that reports keep their order and those just before a crash arrive too. */
function report(message: Report): void {
  writeFileSync(REPORTS, `${JSON.stringify(message)}\n`);
}
