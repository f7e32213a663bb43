import { App, type AppProps, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import cdk from "../../cdk.json" with { type: "json" };
import { ApiStack } from "./api-stack.ts";
import { readConfiguration } from "./config.ts";
import { DataStack } from "./data-stack.ts";

/**
 * The whole deployment, ready to synthesize. The context of cdk.json holds even where the CDK CLI is not there to bring
 * it, so that everyone synthesizes the same templates; what is given, by the CLI or here, goes before it.
 *
 * @throws {ConfigurationError}
 */
export function terminalApp(props: AppProps = {}): App {
  const app = new App({ ...props, context: { ...cdk.context, ...props.context } });
  const configuration = readConfiguration(app.node);
  const data = new DataStack(app, "TerminalData", configuration);
  new ApiStack(app, "TerminalApi", { configuration, data });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
