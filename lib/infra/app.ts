import { Annotations, App, type AppProps, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import cdk from "../../cdk.json" with { type: "json" };
import { ApiStack } from "./api-stack.ts";
import { readConfiguration } from "./config.ts";
import { DataStack } from "./data-stack.ts";
import { EdgeStack } from "./edge-stack.ts";
import { FirewallStack } from "./firewall-stack.ts";
import { tradingWarnings } from "./trading-context.ts";
import { WatchStack } from "./watch-stack.ts";

/** CloudFormation puts them on every resource of all stacks. */
const tags = { service: "trading-terminal" };

/** The policies of keys name the roles of its functions. */
const apiStackName = "TerminalApi";

/**
 * The whole deployment, ready to synthesize. The feature flags of cdk.json apply even if the CDK CLI is not there to pass
 * them, so that every way to synthesize gives the same templates. Context from the CLI, or given here, overrides them.
 *
 * @throws {ConfigurationError}
 */
export function terminalApp(props: AppProps = {}): App {
  const app = new App({ ...props, context: { ...cdk.context, ...props.context } });
  const configuration = readConfiguration(app.node);
  const data = new DataStack(app, "TerminalData", { configuration, apiStackName, tags });
  const api = new ApiStack(app, apiStackName, { configuration, data, tags });
  const watch = new WatchStack(app, "TerminalWatch", { configuration, watched: api.watched, tags });
  const { originKey } = api;
  // Last: a deploy stops at the first failure, and accounts may be denied a distribution, or not be bootstrapped in us-east-1.
  if (originKey !== undefined) {
    const { api: rest, stream } = api.watched;
    new EdgeStack(app, "TerminalEdge", { configuration, rest, stream, originKey, tags }).addStackDependency(
      watch,
    );
  }
  if (configuration.firewall)
    new FirewallStack(app, "TerminalFirewall", { configuration, tags }).addStackDependency(watch);
  for (const warning of tradingWarnings(configuration))
    Annotations.of(api).addWarningV2("terminal:trading", warning);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
