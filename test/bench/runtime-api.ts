import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export type Started = {
  /** Processor time from the start of the process until its first event, in milliseconds. */
  loadCpuMs: number;
  /** Processor time of the first call. */
  firstCpuMs: number;
  /** Processor time of a warm call. */
  warmCpuMs: number;
  /** First response as JSON. */
  answer: string;
  /** Warnings and errors that the first call logged. */
  logged: string;
};

export type StartOptions = {
  /** Folder with index.mjs. */
  folder: string;
  environment: Record<string, string>;
  event: unknown;
  /** Number of measured warm calls, which follow as many unmeasured ones. */
  calls: number;
  /** Time that the first call has left before the function's timeout. */
  remainingMs?: number | undefined;
};

/** Starts a function's process, serves its Runtime API and stops it after the warm calls. */
export async function startFunction({
  folder,
  environment,
  event,
  calls,
  remainingMs = 30_000,
}: StartOptions): Promise<Started> {
  const exchanges = new Waiting();
  const server = createServer((request, response) => exchanges.add(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const api = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  const child = spawn(process.execPath, [join(import.meta.dirname, "lambda-process.js")], {
    env: { ...environment, AWS_LAMBDA_RUNTIME_API: api, LAMBDA_TASK_ROOT: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let logged = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    logged += chunk;
  });
  const failed = once(child, "exit").then(() => Promise.reject(new Error(`A function ended: ${folder}`)));
  failed.catch(() => {});

  const invoke = async (times: number) => {
    const next = await Promise.race([exchanges.take(), failed]);
    next.response.writeHead(200, {
      "Lambda-Runtime-Aws-Request-Id": "benchmark",
      "Lambda-Runtime-Deadline-Ms": `${Date.now() + remainingMs}`,
      "Bench-Calls": `${times}`,
    });
    next.response.end(JSON.stringify(event));
    const { request, response } = await Promise.race([exchanges.take(), failed]);
    const answer = await text(request);
    response.writeHead(202).end();
    const cpuMs = (name: string) => Number(request.headers[name]) / 1000;
    return { answer, beforeMs: cpuMs("bench-before"), callMs: cpuMs("bench-call") };
  };

  try {
    const first = await invoke(1);
    const cold = { loadCpuMs: first.beforeMs, firstCpuMs: first.callMs, answer: first.answer, logged };
    if (calls === 0) return { ...cold, warmCpuMs: Number.NaN };
    await invoke(calls);
    return { ...cold, warmCpuMs: (await invoke(calls)).callMs };
  } finally {
    child.kill("SIGKILL");
    server.closeAllConnections();
    server.close();
  }
}

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** Requests of a function that wait to be served, one after another. */
class Waiting {
  readonly #arrived: Exchange[] = [];
  #taker: ((exchange: Exchange) => void) | undefined;

  add(request: IncomingMessage, response: ServerResponse): void {
    const taker = this.#taker;
    this.#taker = undefined;
    if (taker) taker({ request, response });
    else this.#arrived.push({ request, response });
  }

  take(): Promise<Exchange> {
    const next = this.#arrived.shift();
    if (next) return Promise.resolve(next);
    return new Promise((resolve) => {
      this.#taker = resolve;
    });
  }
}
