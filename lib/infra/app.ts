import { Annotations, App, type AppProps, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import cdk from "../../cdk.json" with { type: "json" };
import { ApiStack } from "./api-stack.ts";
import { readConfiguration } from "./config.ts";
import { DataStack } from "./data-stack.ts";
import { EdgeStack } from "./edge-stack.ts";
import { FirewallStack } from "./firewall-stack.ts";
import { marketWarnings } from "./market-context.ts";
import { tradingWarnings } from "./trading-context.ts";
import { WatchStack } from "./watch-stack.ts";

/** CloudFormation tags every resource of all stacks. */
const tags = { service: "trading-terminal" };

/** Fixed here because key policies name roles by it. */
const apiStackName = "TerminalApi";

/**
 * The whole deployment, ready to synthesize. It sets the feature flags of cdk.json itself, so templates are
 * the same with and without the CDK CLI. Context from the CLI or from `props` overrides them.
 *
 * @throws {ConfigurationError}
 */
export function terminalApp(props: AppProps = {}): App {
  const app = new App({ ...props, context: { ...cdk.context, ...props.context } });
  const configuration = readConfiguration(app.node);
  const data = new DataStack(app, "TerminalData", { configuration, apiStackName, tags });
  const api = new ApiStack(app, apiStackName, { configuration, data, tags });
  new WatchStack(app, "TerminalWatch", { configuration, watched: api.watched, tags });
  const { originKey } = api;
  // The edge is a stack that nothing waits for: an account may be denied a distribution, or may not be bootstrapped in
  // us-east-1. It does not wait for the alarms either, which a wrong topic fails.
  if (originKey !== undefined) {
    const { api: rest, stream } = api.watched;
    new EdgeStack(app, "TerminalEdge", { configuration, rest, stream, originKey, tags }).addStackDependency(
      api,
    );
  }
  if (configuration.firewall)
    new FirewallStack(app, "TerminalFirewall", { configuration, tags }).addStackDependency(api);
  for (const warning of tradingWarnings(configuration))
    Annotations.of(api).addWarningV2("terminal:trading", warning);
  for (const warning of marketWarnings(configuration))
    Annotations.of(api).addWarningV2("terminal:markets", warning);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
