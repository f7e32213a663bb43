/** CDK app that synthesizes the stacks. The CDK CLI runs it. */
require("./run.cjs")(async () => {
  const { main } = await import("../lib/infra/main.ts");
  const { CDK_DEFAULT_REGION: region, CDK_CLI_VERSION: cli } = process.env;
  // Says nothing to other programs, which show steps of their own.
  const onStep = cli === undefined ? undefined : console.error;
  process.exitCode = main({}, console.error, { region, onStep });
});
