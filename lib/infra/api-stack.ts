import { CfnOutput, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type Operation, type OperationName, operations, operationsOf } from "../operations.ts";
import type { Configuration } from "./config.ts";
import { Alarms } from "./constructs/alarms.ts";
import { addDomainName } from "./constructs/domain-name.ts";
import { addEndpoint } from "./constructs/endpoint.ts";
import { addGatewayResponses } from "./constructs/gateway-responses.ts";
import { OperationFunction } from "./constructs/operation-function.ts";
import { addPreflight } from "./constructs/preflight.ts";
import { TerminalDashboard } from "./constructs/terminal-dashboard.ts";
import { TerminalRestApi } from "./constructs/terminal-rest-api.ts";
import { TokenAuthorizer } from "./constructs/token-authorizer.ts";
import type { DataStack } from "./data-stack.ts";
import { settingsOf } from "./settings.ts";
import { tags } from "./tags.ts";

export type ApiStackProps = { configuration: Configuration; data: DataStack };

/** The service over HTTP. It holds nothing: what it needs to keep is in the data stack. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { configuration, data }: ApiStackProps) {
    super(scope, id, { description: "Trading terminal: the REST API and its functions", tags });
    const { allowedOrigins, domain, alarmTopicArn } = configuration;
    const { table, key, issuer } = data;
    const settings = settingsOf(configuration, issuer);
    const functionOf = (name: OperationName, row: Operation) =>
      new OperationFunction(this, name, { row, table, key, settings });

    const api = new TerminalRestApi(this, "Api", { domainOnly: domain !== undefined });
    const authorize = functionOf("authorize", operations.authorize);
    const authorizer = new TokenAuthorizer(this, "Authorizer", authorize.lambda);
    const endpoints = operationsOf("rest").map(([name, row]) =>
      addEndpoint(api, row, functionOf(name, row), authorizer),
    );
    addPreflight(api, allowedOrigins);
    addGatewayResponses(api, allowedOrigins);

    const watched = { endpoints, authorizer: authorize, stage: api.deploymentStage, table };
    new Alarms(this, "Alarms", { ...watched, topicArn: alarmTopicArn });
    new TerminalDashboard(this, "Dashboard", watched);

    const { stageName } = api.deploymentStage;
    const address = `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}/${stageName}`;
    new CfnOutput(this, "BaseUrl", { value: `https://${domain?.domainName ?? address}` });
    if (domain) {
      const { domainNameAliasDomainName } = addDomainName(api, domain.domainName, domain.certificateArn);
      new CfnOutput(this, "DomainTarget", { value: domainNameAliasDomainName });
    }
  }
}
