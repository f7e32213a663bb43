/** `npm run verify`: checks what the service assumes of AWS, on a deployment or a local runner. */
require("./run.cjs")(async () => {
  const { openService, runVerify } = await import("../lib/verify/verify.ts");
  const { interruption } = await import("../lib/admin/terminal.ts");

  const { stdout, stderr, env } = process;
  process.exitCode = await runVerify(process.argv.slice(2), {
    ...{ stdout, stderr, env, openService, interruption },
  });
});
