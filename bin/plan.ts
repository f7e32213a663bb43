/** `npm run plan`: checks what a deploy needs, and says what it would make and cost. */
require("./run.cjs")(async () => {
  const { runPlan } = await import("../lib/tools/plan/program.ts");
  const { readQuotas } = await import("../lib/tools/plan/read-quotas.ts");

  const { stdout, stderr, env } = process;
  process.exitCode = await runPlan(process.argv.slice(2), { stdout, stderr, env, readQuotas });
});
