import { Annotations, App, type AppProps, Validations } from "aws-cdk-lib";
import { RegionInfo } from "aws-cdk-lib/region-info";
import { AwsSolutionsChecks } from "cdk-nag";
import cdk from "../../cdk.json" with { type: "json" };
import { alarmWarnings } from "./alarm-context.ts";
import { ApiStack } from "./api-stack.ts";
import { BackupStack } from "./backup-stack.ts";
import { ConfigurationError, readConfiguration } from "./config.ts";
import { DataStack } from "./data-stack.ts";
import { earningWarnings } from "./earning-context.ts";
import { EdgeStack } from "./edge-stack.ts";
import { FirewallStack } from "./firewall-stack.ts";
import { marketWarnings } from "./market-context.ts";
import { ReplicaStack } from "./replica-stack.ts";
import { tradingWarnings } from "./trading-context.ts";
import { WatchStack } from "./watch-stack.ts";

/** Tags that CloudFormation adds to every resource of all stacks. */
const tags = { service: "trading-terminal" };

/** Name of the APIs' stack. It is fixed, because key policies contain it in the names of roles. */
const apiStackName = "TerminalApi";

/**
 * Refuses regions of other partitions, such as aws-cn. They lack some of the services, such as CloudFront, or have them
 * under other host names.
 *
 * @param region Region to which the CDK CLI deploys. Undefined where nothing is deployed.
 * @throws {ConfigurationError}
 */
function refuseOtherPartitions(region: string | undefined): void {
  const partition = region && RegionInfo.get(region).partition;
  // Accepts regions that are newer than CDK's list.
  if (partition !== undefined && partition !== "" && partition !== "aws")
    throw new ConfigurationError(
      `Region ${region} is in the partition ${partition}: deploy to a region of the partition aws, the only one with all services, such as user pools and CloudFront`,
    );
}

/**
 * Makes the whole deployment, ready to synthesize. It sets the feature flags of cdk.json itself, so templates are the
 * same with and without the CDK CLI. Context from the CLI or from `props` overrides them.
 *
 * @param region Region of the deployment. Only a replica needs it.
 * @throws {ConfigurationError}
 */
export function terminalApp(props: AppProps = {}, region?: string): App {
  const app = new App({ ...props, context: { ...cdk.context, ...props.context } });
  refuseOtherPartitions(region);
  const configuration = readConfiguration(app.node);
  const data = new DataStack(app, "TerminalData", { configuration, apiStackName, tags });
  const api = new ApiStack(app, apiStackName, { configuration, data, tags });
  new WatchStack(app, "TerminalWatch", { configuration, watched: api.watched, tags });
  const { originKey } = api;
  // Puts the edge into a stack that no other stack waits for: AWS may deny an account a distribution, or us-east-1 may
  // not be bootstrapped. The edge does not wait for the alarms either, because a wrong topic makes their stack fail.
  if (originKey !== undefined) {
    const { api: rest, stream } = api.watched;
    const { issuer } = data;
    new EdgeStack(app, "TerminalEdge", {
      configuration,
      issuer,
      rest,
      stream,
      originKey,
      tags,
    }).addStackDependency(api);
  }
  if (configuration.firewall)
    new FirewallStack(app, "TerminalFirewall", { configuration, tags }).addStackDependency(api);
  const { replicaRegion } = configuration;
  if (replicaRegion !== undefined) {
    if (region === undefined)
      throw new ConfigurationError("Context replicaRegion needs a region: set AWS_REGION");
    if (region === replicaRegion)
      throw new ConfigurationError(
        `Context replicaRegion must differ from the region of the stacks, ${region}`,
      );
    const replica = new ReplicaStack(app, "TerminalReplica", {
      replicaRegion,
      region,
      dataStackName: data.stackName,
      tags,
    });
    replica.addStackDependency(data);
    new BackupStack(app, "TerminalBackups", { replicaRegion, table: data.table, tags }).addStackDependency(
      replica,
    );
  }
  for (const warning of tradingWarnings(configuration))
    Annotations.of(api).addWarningV2("terminal:trading", warning);
  for (const warning of alarmWarnings(configuration))
    Annotations.of(api).addWarningV2("terminal:alarms", warning);
  for (const warning of marketWarnings(configuration))
    Annotations.of(api).addWarningV2("terminal:markets", warning);
  for (const warning of earningWarnings(configuration))
    Annotations.of(api).addWarningV2("terminal:earning", warning);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
