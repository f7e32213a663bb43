/** `npm run -s admin`: administers a trading terminal, local or deployed. */
require("./run.cjs")(async () => {
  const { runAdmin, targets } = await import("../lib/tools/admin/program.ts");
  const { askSecret, confirm } = await import("../lib/tools/admin/ask-secret.ts");
  const { interruption } = await import("../lib/tools/admin/terminal.ts");

  const { setTimeout: pauseMs } = await import("node:timers/promises");

  // Exits quietly when the program that reads the output, such as `head`, closes the pipe early.
  process.stdout.on("error", (error) => {
    if ("code" in error && error.code === "EPIPE") process.exit(0);
    throw error;
  });

  const { stdout, stderr } = process;
  const now = () => new Date();
  const deps = {
    ...targets,
    stdout,
    stderr,
    confirm,
    askSecret,
    interruption,
    now,
    pauseMs,
  };
  process.exitCode = await runAdmin(process.argv.slice(2), deps);
});
