import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import type { Network } from "../core/network.ts";
import { type OperationName, operations, operationsOf, servedMethods } from "../operations/operations.ts";
import type { ScheduleRow } from "../operations/types.ts";
import type { Configuration } from "./configuration.ts";
import { KeyNotices } from "./data/key-notices.ts";
import { Notices } from "./data/notices.ts";
import { TableChanges } from "./data/table-changes.ts";
import type { DataStack } from "./data-stack.ts";
import { MacKey } from "./functions/mac-key.ts";
import { type OperationFunction, OperationFunctions } from "./functions/operation-functions.ts";
import { environmentOf } from "./functions/variables.ts";
import type { Watched } from "./monitoring/metrics.ts";
import { type Openings, openersOf, openingsOf } from "./openings.ts";
import { addGatewayResponses } from "./rest/gateway-responses.ts";
import { addEndpoint, addPreflight, TokenAuthorizer } from "./rest/methods.ts";
import { addDomainName, TerminalRestApi } from "./rest/rest-api.ts";
import { TierPlans } from "./rest/tier-plans.ts";
import { ConnectionAuthorizer } from "./websocket/connection-authorizer.ts";
import { addStreamRoute } from "./websocket/routes.ts";
import { addStreamDomainName, StreamApi } from "./websocket/stream-api.ts";

export type ApiStackProps = Pick<StackProps, "tags"> & { configuration: Configuration; data: DataStack };

/** Invocation settings for work that is soon out of date, because the next message or run replaces it. */
const freshOnly = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };

/**
 * Invocation settings for a run that nothing else restarts. If it fails, Lambda retries it one minute later, and again
 * two minutes after that.
 */
const untilDone = { retryAttempts: 2, maxEventAge: Duration.hours(1) };

/** Stack of the service over HTTP and WebSocket. It stores nothing: lasting data is in the data stack. */
export class ApiStack extends Stack {
  /** Dynamic reference to the origin key that the edge sends. Undefined if there is no edge. */
  readonly originKey: string | undefined;
  readonly watched: Watched;

  constructor(scope: Construct, id: string, { configuration, data, ...props }: ApiStackProps) {
    super(scope, id, { ...props, description: "Trading terminal: the APIs and the functions" });
    const { allowedOrigins, edge, streamDomain, throttles } = configuration;
    const { signerVpc, signerZones, leadingKeys } = configuration;
    // Uses no custom domain if there is an edge, because the edge reaches the APIs at their default addresses.
    const domain = edge ? undefined : configuration.domain;
    const { table, key, importKeys, macKey, issuer } = data;

    const api = new TerminalRestApi(this, "Api", { domain, throttles });
    const stream = new StreamApi(this, "Stream", { logging: api.logging });
    const changes = new TableChanges(this, "Changes", data.streamArn);
    const { environment: planEnvironment } = new TierPlans(this, "Plans", { rest: api, stream });
    const originKeys = edge ? data.originKeys.map(({ reference }) => reference) : [];
    this.originKey = originKeys.at(-1);
    const { noticeBusArn: busArn } = configuration;
    const notices = configuration.devices ? new Notices(this, "Notices", { busArn }) : undefined;
    const noticeBusArn = notices?.busArn ?? busArn;
    const environment = environmentOf(configuration, issuer, planEnvironment, {
      noticeBusArn,
      retryQueueUrl: notices?.retries.queueUrl,
      originKeys,
      // Identifies the table by its stream. A restored table has the old name, but a new stream.
      tableId: data.streamArn,
    });
    const openings = openingsOf(configuration);
    const childMacKey =
      macKey && new MacKey(this, "ChildMacKey", { apiStackName: this.stackName, of: "childMac" });
    const macKeys = [macKey, childMacKey].filter((each) => each !== undefined);
    const keyNotices = new KeyNotices(this, "KeyNotices", [key, ...importKeys, ...macKeys]);
    const inside = signerVpc ? openersOf(openings) : [];
    const functions = new OperationFunctions(this, "Functions", {
      openings,
      noticeBusArn,
      notices,
      hostKeys: configuration.hostKeys,
      table,
      leadingKeys,
      key,
      importKeys,
      macKey,
      childMacKey,
      inside,
      zones: signerZones,
      reservedRuns: configuration.reservedRuns,
      changes,
      stage: stream.stage,
      environment,
      memoryMB: { readChains: configuration.readChainsMemoryMB },
    });

    const authorizer = new TokenAuthorizer(this, "Authorizer", functions.get("authorize").lambda);
    const servedBy = (name: OperationName) =>
      functions.get(functions.has(name) ? name : refusalOf(name, openings));
    const added = servedMethods.map(({ name, ...method }) =>
      addEndpoint(api, method, servedBy(name), authorizer),
    );
    const endpoints = added.filter(
      ({ operation, method }) => operation.row.kind === "rest" && method.httpMethod !== "HEAD",
    );
    addPreflight(api, allowedOrigins);
    addGatewayResponses(api, allowedOrigins);

    const { lambda: authorizeConnection } = functions.get("authorizeConnection");
    const connectionAuthorizer = new ConnectionAuthorizer(stream, "Authorizer", authorizeConnection);
    for (const [name, row] of operationsOf("websocket"))
      stream.throttle(
        addStreamRoute(stream, row, functions.get(name), connectionAuthorizer),
        throttles[name],
      );

    for (const [name, row] of operationsOf("changes")) changes.sendTo(name, functions.get(name).lambda, row);
    notices?.sendTo(functions.get("notifyOwner").lambda);
    functions.get("deliver").lambda.configureAsyncInvoke(freshOnly);
    functions.get("feedPrices").lambda.configureAsyncInvoke(untilDone);
    // Switches off retries, because the next sweep runs the lane again.
    if (functions.has("executeOrders")) functions.get("executeOrders").lambda.configureAsyncInvoke(freshOnly);
    // Switches off retries, because the next client that wants a market starts a new run.
    for (const name of (["readMarkets", "loadHistory"] as const).filter((name) => functions.has(name)))
      functions.get(name).lambda.configureAsyncInvoke(freshOnly);
    const chainsOfRuns = configuration.readChainsPerChain ? openings["with trading"] : [];
    for (const [name, row] of operationsOf("schedule").filter(([name]) => functions.has(name)))
      addSchedule(row, functions.get(name), name === "readChains" ? chainsOfRuns : []);

    for (const name of inside) keepInUse(functions.get(name));

    this.watched = { api, endpoints, stream, functions, changes, keyNotices, notices, table };

    const { stageName } = api.deploymentStage;
    const address = `${api.restApiId}.execute-api.${this.region}.${this.urlSuffix}/${stageName}`;
    new CfnOutput(this, "BaseUrl", { value: `https://${domain?.domainName ?? address}` });
    new CfnOutput(this, "StreamUrl", {
      value: streamDomain ? `wss://${streamDomain.domainName}` : stream.stage.url,
    });
    new CfnOutput(this, "CallbackUrl", { value: stream.stage.callbackUrl });
    const { functionName } = functions.get("recordExecutions").lambda;
    new CfnOutput(this, "RecordExecutionsFunction", { value: functionName });
    new CfnOutput(this, "StandardPlanId", { value: planEnvironment.STANDARD_PLAN_ID });
    new CfnOutput(this, "ProPlanId", { value: planEnvironment.PRO_PLAN_ID });
    new CfnOutput(this, "PlanPrefix", { value: planEnvironment.PLAN_PREFIX });
    new CfnOutput(this, "PlanStages", { value: planEnvironment.PLAN_STAGES });
    new CfnOutput(this, "KeyGraceSeconds", { value: environment.KEY_GRACE_SECONDS });
    new CfnOutput(this, "TableName", { value: table.tableName });
    if (notices) new CfnOutput(this, "NoticeBusArn", { value: notices.busArn });
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

/**
 * Returns the function that rejects requests for a row that is not deployed. If trading is off, markets are off as
 * well.
 */
function refusalOf(name: OperationName, openings: Openings): OperationName {
  const { deployed } = operations[name];
  const isTrading = openings["with trading"].length > 0;
  const missing = deployed === "with markets" && !isTrading ? "with trading" : deployed;
  const [found] = operationsOf("refusal").find(([, { refuses }]) => refuses === missing) ?? [];
  if (found === undefined) throw new Error(`No function rejects requests for ${name}`);
  return found;
}

/**
 * Invokes a function in the VPC every day. Lambda removes the network interfaces of a function that is idle for 14
 * days, and its next invocation would fail.
 */
const keepInUse = ({ name, lambda }: OperationFunction): Rule =>
  new Rule(Stack.of(lambda), `${name}Ping`, {
    description: `Keep the network interfaces of ${name}`,
    schedule: Schedule.rate(Duration.days(1)),
    targets: [new LambdaFunction(lambda)],
  });

/**
 * Runs a row's function at its rate. Runs may overlap.
 *
 * @param chains Chains that have a run each. If the list is empty, there is one run, for all chains.
 */
function addSchedule(
  { everyMinutes, summary }: ScheduleRow,
  { name, lambda }: OperationFunction,
  chains: readonly Network[],
): Rule {
  // Configures Lambda as well, because Lambda decides about retries once EventBridge has delivered the event.
  lambda.configureAsyncInvoke(freshOnly);
  return new Rule(Stack.of(lambda), `${name}Schedule`, {
    description: summary,
    schedule: Schedule.rate(Duration.minutes(everyMinutes)),
    targets:
      chains.length === 0
        ? [new LambdaFunction(lambda, freshOnly)]
        : chains.map(
            (chain) =>
              new LambdaFunction(lambda, { ...freshOnly, event: RuleTargetInput.fromObject({ chain }) }),
          ),
  });
}
