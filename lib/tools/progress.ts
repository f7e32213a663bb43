import { styleText } from "node:util";

/** Output that shows progress, usually the standard error. */
export type ProgressOutput = { write(text: string): unknown; isTTY?: boolean };

export type ShownSteps = {
  /** Begins to show another step. */
  step: (text: string) => void;
  /** Removes the line for a moment, so that something else can be printed. */
  clear: () => void;
  end: () => void;
};

const clearLine = "\r\x1b[K";

/** Shows the current step: as one line with its seconds on a terminal, or else as a line for each step. */
export function showSteps(out: ProgressOutput): ShownSteps {
  if (!out.isTTY) return { step: (text) => void out.write(`${text}\n`), clear: () => {}, end: () => {} };
  let timer: NodeJS.Timeout | undefined;
  const clear = () => void out.write(clearLine);
  const stop = () => clearInterval(timer);
  return {
    step(text) {
      stop();
      const startedAt = Date.now();
      const show = () => {
        const seconds = Math.round((Date.now() - startedAt) / 1000);
        const words = `${text} …${seconds === 0 ? "" : ` ${seconds} s`}`;
        out.write(clearLine + styleText("dim", words, { validateStream: false }));
      };
      show();
      // Lets the process end meanwhile.
      timer = setInterval(show, 1000).unref();
    },
    clear,
    end() {
      stop();
      clear();
    },
  };
}

/** Time after which work that shows nothing else shows that it is still running. */
const silentMs = 2000;

/**
 * Shows that work is still running if it prints nothing for two seconds.
 *
 * @returns a function that ends it, for when the work prints something or is done.
 */
export function unlessSilent(out: ProgressOutput, text: string): () => void {
  const progress = showSteps(out);
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    progress.step(text);
  }, silentMs).unref();
  return () => {
    clearTimeout(timer);
    if (isShown) progress.end();
    isShown = false;
  };
}
