/** CDK app that synthesizes the stacks. The CDK CLI runs it. */
require("./run.cjs")(async () => {
  const { main } = await import("../lib/infra/main.ts");
  process.exitCode = main({}, console.error, process.env.CDK_DEFAULT_REGION);
});
