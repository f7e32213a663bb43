import { once } from "node:events";
import cliProgress from "cli-progress";

export type Output = NodeJS.WritableStream & { isTTY?: boolean };

export function print(out: Output, line: string): void {
  out.write(`${line}\n`);
}

/** Calls `before` before each write to an output. */
export const announced = (out: Output, before: () => void): Output =>
  new Proxy(out, {
    get(target, name) {
      if (name === "write") before();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/**
 * Prints lines as they arrive. Waits while the output is full, so that the source is read no faster than it is printed.
 */
export async function printEach(out: Output, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (!out.write(`${line}\n`)) await once(out, "drain");
  }
}

/** Replaces control characters. A username could contain some, which would send commands to the operator's terminal. */
export function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, "\u{FFFD}");
}

/** Shows progress as a bar on a terminal, or else as a line every two seconds. */
export function startProgress(out: Output, work: string, total: number) {
  const bar = new cliProgress.SingleBar(
    {
      stream: out,
      noTTYOutput: true,
      // Does not clear the bar if there is no terminal, because this would print an empty line.
      clearOnComplete: !out.isTTY,
      format: out.isTTY ? `${work} {bar} {value}/{total}, {eta_formatted} left` : `${work} {value}/{total}`,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0);
  return { step: () => bar.increment(), stop: () => bar.stop() };
}

/**
 * Makes Ctrl-C and SIGTERM abort the returned signal instead of ending the process. A second Ctrl-C has no effect,
 * because npm repeats the terminal's signal and a single Ctrl-C arrives twice.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}
