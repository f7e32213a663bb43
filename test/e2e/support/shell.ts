import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** Result of a command: its exit status and its output, which goes to stderr if it fails. */
export type Outcome = { status: number; output: string };

type Program = (args: string[]) => Promise<Outcome>;

/** Programs that shell commands call, by name. This process runs them. */
export type Programs = Readonly<Record<string, Program>>;

/** Sends a command's arguments to this process through one pipe, and reads its result from another. */
const ask = String.raw`ask() {
  local status output
  printf '%s\037' "$@" >&3
  printf '\036' >&3
  IFS=$'\037' read -r -d $'\036' -u 4 status output
  if [ "$status" = 0 ]; then printf '%s' "$output"; else printf '%s' "$output" >&2; fi
  return "$status"
}`;

type Options = {
  programs: Programs;
  /** Presses Ctrl-C as soon as the output matches. Without a pattern, the commands must end by themselves. */
  until?: RegExp | undefined;
};

/** Runs commands in one bash that stops at the first failure or unset variable. @throws if a command fails. */
export async function runShell(commands: string, { programs, until }: Options): Promise<void> {
  const functions = Object.keys(programs).map((name) => `${name}() { ask ${name} "$@"; }`);
  // npx and PATH both find the programs of this project.
  const script = [ask, ...functions, 'npx() { "$@"; }', commands].join("\n");
  const { BASE_URL: _, TOKEN: __, ...env } = process.env;
  const shell = spawn("bash", ["-eu", "-c", script], {
    env: { ...env, PATH: `node_modules/.bin:${env.PATH}` },
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    // Ctrl-C signals the whole process group.
    detached: true,
  });
  const [, stdout, stderr, calls, outcomes] = shell.stdio as [null, Readable, Readable, Readable, Writable];
  const interrupt = () => void process.kill(-(shell.pid as number), "SIGINT");
  const giveUp = setTimeout(interrupt, 120_000);

  let printed = "";
  let isSeen = false;
  for (const stream of [stdout, stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (isSeen || until === undefined || !until.test(printed)) return;
      isSeen = true;
      interrupt();
    });
  const status = new Promise<number | null>((resolve) => shell.on("close", resolve));
  // The shell may end before it reads a result.
  outcomes.on("error", () => {});
  let call = "";
  for await (const text of calls.setEncoding("utf8") as AsyncIterable<string>) {
    call += text;
    if (!call.endsWith("\x1e")) continue;
    const [name = "", ...args] = call.slice(0, -2).split("\x1f");
    call = "";
    const failed = (error: unknown): Outcome => ({ status: 1, output: `${String(error)}\n` });
    const { status, output } = await (programs[name] as Program)(args).catch(failed);
    outcomes.write(`${status}\x1f${output}\x1e`);
  }
  const ended = await status;
  clearTimeout(giveUp);
  if (until === undefined ? ended !== 0 : !isSeen)
    throw new Error(`The shell ended with ${ended}:\n${printed}`);
}
