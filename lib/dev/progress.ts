import type { WriteStream } from "node:tty";
import { styleText } from "node:util";

export type Progress = { step(text: string): void; end(): void };

/** Tells what is being done: on a terminal in one line that changes, elsewhere a line each. */
export function progress(out: WriteStream): Progress {
  if (!out.isTTY) return { step: (text) => void out.write(`${text}\n`), end: () => {} };
  const rewrite = (text: string) => {
    out.cursorTo(0);
    out.clearLine(0);
    out.write(text);
  };
  return { step: (text) => rewrite(styleText("dim", `${text} …`, { stream: out })), end: () => rewrite("") };
}
