import cliProgress from "cli-progress";
import type { Output } from "./output.ts";

export type Progress = { step(): void; stop(): void };

/** Shows how far a piece of work is: as a bar on a terminal, elsewhere as a line every two seconds. */
export function startProgress(out: Output, work: string, total: number): Progress {
  const bar = new cliProgress.SingleBar(
    {
      stream: out,
      noTTYOutput: true,
      // Elsewhere than on a terminal that clears nothing, and saves an empty line.
      clearOnComplete: !out.isTTY,
      format: out.isTTY ? `${work} {bar} {value}/{total}, {eta_formatted} left` : `${work} {value}/{total}`,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total, 0);
  return { step: () => bar.increment(), stop: () => bar.stop() };
}
