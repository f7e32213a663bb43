/** `npm run deploy`: checks the account, and deploys all stacks. */
require("./run.cjs")(async () => {
  const { runCdk, runDeploy } = await import("../lib/tools/plan/deploy.ts");
  const { readQuotas } = await import("../lib/tools/plan/read-quotas.ts");

  const { stdout, stderr, env } = process;
  const deps = {
    stdout,
    stderr,
    env,
    readQuotas,
    cdk: runCdk,
  };
  process.exitCode = await runDeploy(process.argv.slice(2), deps);
});
