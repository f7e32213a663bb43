/** `npm run -s admin`: administers a trading terminal, a local one or one that is deployed. */
import { interruption } from "../lib/admin/interruption.ts";
import { runAdmin } from "../lib/admin/program.ts";
import { openFunctions, openPlans, openTarget } from "../lib/admin/target.ts";

// A reader such as head may have enough before everything is told.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runAdmin(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  openTarget,
  openFunctions,
  openPlans,
  interruption,
  now: () => new Date(),
});
