/** Runs in a sandbox's process. Loads one function's handler and passes events to it, one after another. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { errorPayload, type Handler, loadHandler, RuntimeError } from "./handler.ts";
import { logLine, redirectConsole } from "./log.ts";
import { type EventMessage, REPORTS_FD, type Report, type SandboxSettings, UNCAUGHT } from "./protocol.ts";

// Removes other variables, because handlers see only the environment of their template.
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
  wallOff(settings.reachable, (attempt) =>
    logError(`Refused ${attempt}: this function is in a VPC and can only reach the endpoints there.`),
  );
}

try {
  const handler = await loadHandler(settings.codeFolder, settings.handler);
  process.on("message", (event: EventMessage) => handle(handler, event));
  // Writes the cache now, because it would be too late once a signal ends the process.
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

/** Writes synchronously, so that reports keep their order and the last ones before a crash also arrive. */
function report(message: Report): void {
  writeFileSync(REPORTS_FD, `${JSON.stringify(message)}\n`);
}
