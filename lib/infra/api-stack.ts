import { CfnOutput, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { ScheduleRow } from "../operation-types.ts";
import { operationsOf } from "../operations.ts";
import type { Configuration } from "./config.ts";
import { Alarms } from "./constructs/alarms.ts";
import { ConnectionAuthorizer } from "./constructs/connection-authorizer.ts";
import { addDomainName } from "./constructs/domain-name.ts";
import { addEndpoint } from "./constructs/endpoint.ts";
import { freshOnly } from "./constructs/fresh-only.ts";
import { addGatewayResponses } from "./constructs/gateway-responses.ts";
import { OperationFunctions } from "./constructs/operation-functions.ts";
import { addPreflight } from "./constructs/preflight.ts";
import { addSchedule } from "./constructs/schedule.ts";
import { StandingPlans } from "./constructs/standing-plans.ts";
import { StreamApi } from "./constructs/stream-api.ts";
import { addStreamDomainName } from "./constructs/stream-domain-name.ts";
import { addStreamRoute } from "./constructs/stream-route.ts";
import { TableChanges } from "./constructs/table-changes.ts";
import { TerminalDashboard } from "./constructs/terminal-dashboard.ts";
import { TerminalRestApi } from "./constructs/terminal-rest-api.ts";
import { TokenAuthorizer } from "./constructs/token-authorizer.ts";
import type { DataStack } from "./data-stack.ts";
import { environmentOf } from "./environment.ts";
import { tags } from "./tags.ts";

export type ApiStackProps = { configuration: Configuration; data: DataStack };

/** The service over HTTP and WebSocket. It holds nothing: what it needs to keep is in the data stack. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { configuration, data }: ApiStackProps) {
    super(scope, id, { description: "Trading terminal: the APIs and the functions", tags });
    const { allowedOrigins, domain, streamDomain, priceFeeds, alarmTopicArn } = configuration;
    const { table, key, issuer } = data;

    const api = new TerminalRestApi(this, "Api", { domainOnly: domain !== undefined });
    const stream = new StreamApi(this, "Stream", { logging: api.logging });
    const changes = new TableChanges(this, "Changes", table);
    const { environment: planEnvironment } = new StandingPlans(this, "Plans", { rest: api, stream });
    const environment = environmentOf(configuration, issuer, planEnvironment);
    const functions = new OperationFunctions(this, { table, key, changes, stage: stream.stage, environment });

    const authorizer = new TokenAuthorizer(this, "Authorizer", functions.get("authorize").lambda);
    const endpoints = operationsOf("rest").map(([name, row]) =>
      addEndpoint(api, row, functions.get(name), authorizer),
    );
    addPreflight(api, allowedOrigins);
    addGatewayResponses(api, allowedOrigins);

    const { lambda: authorizeConnection } = functions.get("authorizeConnection");
    const connectionAuthorizer = new ConnectionAuthorizer(stream, "Authorizer", authorizeConnection);
    for (const [name, row] of operationsOf("websocket"))
      addStreamRoute(stream, row, functions.get(name), connectionAuthorizer);

    for (const [name, row] of operationsOf("changes")) changes.sendTo(functions.get(name), row);
    functions.get("deliver").lambda.configureAsyncInvoke(freshOnly);
    const isOn = ({ runs }: ScheduleRow) => runs === "always" || priceFeeds.length > 0;
    for (const [name, row] of operationsOf("schedule"))
      addSchedule(this, row, functions.get(name), isOn(row));

    const { deploymentStage: stage } = api;
    const watched = { endpoints, functions, stage, stream: stream.stage, changes, table, isOn };
    new Alarms(this, "Alarms", { ...watched, topicArn: alarmTopicArn });
    new TerminalDashboard(this, "Dashboard", watched);

    const address = `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}/${stage.stageName}`;
    new CfnOutput(this, "BaseUrl", { value: `https://${domain?.domainName ?? address}` });
    new CfnOutput(this, "StreamUrl", {
      value: streamDomain ? `wss://${streamDomain.domainName}` : stream.stage.url,
    });
    const { functionName } = functions.get("recordExecutions").lambda;
    new CfnOutput(this, "RecordExecutionsFunction", { value: functionName });
    new CfnOutput(this, "StandardPlanId", { value: planEnvironment.STANDARD_PLAN_ID });
    new CfnOutput(this, "ProPlanId", { value: planEnvironment.PRO_PLAN_ID });
    new CfnOutput(this, "PlanPrefix", { value: planEnvironment.PLAN_PREFIX });
    new CfnOutput(this, "PlanStages", { value: planEnvironment.PLAN_STAGES });
    if (domain) {
      const { domainNameAliasDomainName } = addDomainName(api, domain);
      new CfnOutput(this, "DomainTarget", { value: domainNameAliasDomainName });
    }
    if (streamDomain) {
      const { regionalDomainName } = addStreamDomainName(stream, streamDomain);
      new CfnOutput(this, "StreamDomainTarget", { value: regionalDomainName });
    }
  }
}
