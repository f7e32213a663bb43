import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

/** A process that the benchmark starts. It answers each request before reading the next. */
export type Child<Request, Answer> = {
  pid: number;
  ask(request: Request): Promise<Answer>;
  /** Stops the process and waits until it has exited. */
  stop(): Promise<void>;
};

/** Starts a script and waits for its first message. Paths are relative to this folder. */
export async function startChild<Request, Answer, First = Answer>(
  script: string,
  ...options: string[]
): Promise<Child<Request, Answer> & { first: First }> {
  const child = fork(resolve(import.meta.dirname, script), options, {
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const first = await next<First>(child);
  return {
    pid: child.pid as number,
    first,
    async ask(request) {
      child.send(request as object);
      return next<Answer>(child);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function next<Answer>(child: ChildProcess): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const ended = () => reject(new Error(`A process of the benchmark ended: ${child.spawnargs.join(" ")}`));
  child.once("exit", ended);
  try {
    const [answer] = await Promise.race([once(child, "message"), promise]);
    return answer as Answer;
  } finally {
    child.off("exit", ended);
  }
}

/** Sends a message from the child process to its parent. */
export const say = (answer: object): void => void process.send?.(answer);
