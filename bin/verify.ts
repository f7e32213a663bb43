/** `npm run verify`: checks the service's assumptions about AWS, on a deployment or a local runner. */
require("./run.cjs")(async () => {
  const { runVerify } = await import("../test/e2e/stage/support/verify.ts");

  const { stdout, stderr, env } = process;
  process.exitCode = await runVerify(process.argv.slice(2), { stdout, stderr, env });
});
