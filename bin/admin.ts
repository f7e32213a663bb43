/** `npm run -s admin`: administers a trading terminal, a local or a deployed one. */
import { runAdmin, targets } from "../lib/admin/program.ts";
import { interruption } from "../lib/admin/terminal.ts";

// A reader such as head may close the pipe before everything is printed.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await runAdmin(process.argv.slice(2), {
  ...targets,
  stdout: process.stdout,
  stderr: process.stderr,
  interruption,
  now: () => new Date(),
});
