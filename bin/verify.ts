/** `npm run verify`: checks the service's assumptions about AWS, on a deployment or a local runner. */
require("./run.cjs")(async () => {
  const { openService, runVerify } = await import("../lib/verify/verify.ts");
  const { interruption } = await import("../lib/admin/terminal.ts");

  const { stdout, stderr, env } = process;
  process.exitCode = await runVerify(process.argv.slice(2), {
    ...{ stdout, stderr, env, openService, interruption },
  });
});
