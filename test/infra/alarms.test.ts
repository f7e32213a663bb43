import { describe, expect, it } from "vitest";
import { restAccessLogFormat, streamAccessLogFormat } from "../../lib/infra/monitoring/access-log.ts";
import {
  operations,
  operationsOf,
  type RestOperationName,
  servedMethods,
} from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { type AlarmProperties, metricsOf, periodOf } from "./alarm-states.ts";
import { customContext, only, propertiesOf, synthesize, watchOf } from "./synthesized.ts";

const alarmsOf = (context?: Record<string, unknown>) =>
  propertiesOf<AlarmProperties>(watchOf(synthesize(context)), "AWS::CloudWatch::Alarm");

/** Finds the only alarm on a metric whose dimensions, as text, contain these parts. */
function alarmOn(alarms: readonly AlarmProperties[], metricName: string, ...parts: string[]) {
  const [alarm, ...others] = alarms.filter(
    ({ MetricName, Dimensions }) =>
      MetricName === metricName && parts.every((part) => JSON.stringify(Dimensions ?? []).includes(part)),
  );
  if (alarm === undefined || others.length > 0)
    throw new Error(`${others.length + Number(alarm !== undefined)} alarms on ${metricName}`);
  return alarm;
}

type FilterProperties = {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: { MetricName: string; MetricNamespace: string; MetricValue: string }[];
};

const filters = propertiesOf<FilterProperties>(watchOf(synthesize(customContext)), "AWS::Logs::MetricFilter");
const filterOf = (name: string) =>
  filters.find(
    ({ LogGroupName, MetricTransformations: [metric] }) =>
      new RegExp(`^${name}Log[0-9A-F]{8}$`).test(LogGroupName.Ref) && metric?.MetricName === `${name}Faults`,
  );

const logged = (name: string) => `($.level = "ERROR") && ($.message.operation = "${name}")`;
const counting = (name: string) => [
  { MetricName: `${name}Faults`, MetricNamespace: "TerminalApi", MetricValue: "1" },
];

/** Requires three failures within five minutes or, for rarer functions, three failed runs in a row. */
const raisedBy = (row: Operation) =>
  row.kind === "schedule" && row.everyMinutes >= 5
    ? { Threshold: 1, EvaluationPeriods: 3, period: row.everyMinutes * 60 }
    : { Threshold: 3, EvaluationPeriods: 1, period: 300 };

const background = Object.entries<Operation>(operations).filter(
  ([, { kind }]) => kind !== "rest" && kind !== "authorizer",
);

const tradingTroubles = ["OrderWithoutProgress", "LaneHeldTooLong", "ReaderMissing", "ChainUnavailable"];

const alarms = alarmsOf(customContext);
const kinds = (...kinds: Operation["kind"][]) =>
  Object.values<Operation>(operations).filter(({ kind }) => kinds.includes(kind)).length;

describe("the alarms", () => {
  it.each(operationsOf("rest"))(
    "describes the effect on users while %s fails",
    (_, { path, method, impact }) => {
      const dimensions = [
        { Name: "Method", Value: method },
        { Name: "Resource", Value: path },
      ];
      const alarm = alarmOn(alarms, "FailedRequests", JSON.stringify(path), `"${method}"`);
      expect(alarm.Namespace).toBe("TerminalApi");
      expect(alarm.Dimensions).toEqual(dimensions);
      expect(alarm.TreatMissingData).toBe("notBreaching");
      expect(alarm.AlarmDescription).toContain(impact);
      expect(alarm.AlarmDescription).toContain("Look first at");
      expect(alarm).toMatchObject({ Threshold: 3, Period: 300, EvaluationPeriods: 1, Statistic: "Sum" });
    },
  );

  it("counts errors of authorize, which does not throw for an invalid token", () => {
    const alarm = alarmOn(alarms, "Errors");
    expect(JSON.stringify(alarm.Dimensions)).toContain('"authorizeFunction');
    expect(alarm.AlarmDescription).toContain(operations.authorize.impact);
  });

  it("counts failed requests in the access log by their method and path", () => {
    const failed = filters.filter(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "FailedRequests",
    );
    // CloudWatch accepts no default value together with dimensions.
    expect(failed).toEqual([
      {
        FilterPattern: '{ $.status = "5*" }',
        LogGroupName: { Ref: expect.stringMatching(/^ApiAccessLog/) },
        MetricTransformations: [
          {
            MetricName: "FailedRequests",
            MetricNamespace: "TerminalApi",
            MetricValue: "1",
            Dimensions: [
              { Key: "Method", Value: "$.method" },
              { Key: "Resource", Value: "$.resourcePath" },
            ],
          },
        ],
      },
    ]);
    for (const field of ['"status":"$context.status"', '"method":"$context.httpMethod"'])
      expect(restAccessLogFormat.toString()).toContain(field);
    expect(restAccessLogFormat.toString()).toContain('"resourcePath":"$context.resourcePath"');
  });

  it("counts the calls that Lambda rejects, with one metric for all functions", () => {
    const alarm = alarmOn(alarms, "Throttles");
    expect(alarm).toMatchObject({ Namespace: "AWS/Lambda", Statistic: "Sum", Threshold: 3, Period: 300 });
    expect(alarm.Dimensions).toBeUndefined();
  });

  it("watches the table, and has no alarm that these tests do not cover", () => {
    const ofTable = alarms
      .flatMap(({ Metrics }) => Metrics ?? [])
      .flatMap(({ MetricStat }) => MetricStat ?? [])
      .filter(({ Metric }) => Metric.Namespace === "AWS/DynamoDB");
    const names = new Set(ofTable.map(({ Metric }) => Metric.MetricName));
    expect([...names]).toEqual(["ThrottledRequests", "SystemErrors"]);
    const ofRequests = kinds("rest", "authorizer");
    const ofRealTime =
      kinds("websocket", "internal", "refusal") + 2 * kinds("changes") + 2 * kinds("schedule");
    const others = [
      ...["FunctionThrottles", "TableThrottles", "TableFailures", "ChangesGaveUp", "KeyLimitReached"],
      ...["IssuerOutage", "KeysRefused", "KeyEndangered"],
      ...["ChartsThrottled", "OrdersThrottled", "GuardsThrottled"],
      ...tradingTroubles,
      ...["MarketsStale", "HostUnits"],
      ...["SignatureRefused", "SignaturesPostponed", "BroadcastsLate"],
    ];
    expect(alarms).toHaveLength(ofRequests + ofRealTime + others.length);
  });

  it("counts API keys that API Gateway refuses, over HTTP and WebSocket", () => {
    const refused = filters.filter(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "RefusedKeys",
    );
    expect(refused).toEqual(
      ["ApiAccessLog", "StreamAccessLog"].map((log) => ({
        FilterPattern: '{ ($.errorType = "INVALID_API_KEY") && ($.principalId != "outside the edge") }',
        LogGroupName: { Ref: expect.stringMatching(`^${log}`) },
        MetricTransformations: [
          { MetricName: "RefusedKeys", MetricNamespace: "TerminalApi", MetricValue: "1" },
        ],
      })),
    );
    const alarm = alarmOn(alarms, "RefusedKeys");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 3, Period: 300 });
    expect(alarm.AlarmDescription).toMatch(/403.*Look first at.*shared key.*keyGraceSeconds/);
    expect(restAccessLogFormat.toString()).toContain('"errorType":"$context.error.responseType"');
    expect(streamAccessLogFormat.toString()).toContain('"errorType":"$context.error.responseType"');
  });

  const methodsOf = (names: readonly RestOperationName[]) =>
    servedMethods
      .filter(({ name }) => names.includes(name))
      .map(({ method, path }) => `(($.method = "${method}") && ($.resourcePath = "${path}"))`);
  it.each<[string, number, readonly RestOperationName[]]>([
    ["Charts", 300, ["getMarket", "listCandles"]],
    ["Orders", 300, ["quoteOrder", "placeOrder"]],
    [
      "Guards",
      50,
      ["setWalletPolicy", "cancelExport", "lockExports", "endSession", "cancelOrder", "cancelOrders"],
    ],
  ])(
    "counts requests for %s that API Gateway throttles, and raises an alarm at %i",
    (group, least, names) => {
      const [filter, ...others] = filters.filter(
        ({ MetricTransformations: [metric] }) => metric?.MetricName === `Throttled${group}`,
      );
      expect(others).toEqual([]);
      expect(filter).toMatchObject({
        FilterPattern: `{ ($.errorType = "THROTTLED") && (${methodsOf(names).join(" || ")}) }`,
        LogGroupName: { Ref: expect.stringMatching(/^ApiAccessLog/) },
      });
      // CloudWatch accepts no longer pattern.
      expect(filter?.FilterPattern.length).toBeLessThanOrEqual(1024);
      const alarm = alarmOn(alarms, `Throttled${group}`);
      expect(alarm).toMatchObject({ Statistic: "Sum", Threshold: least, Period: 300 });
      expect(alarm.AlarmDescription).toMatch(/429.*Look first at.*principalId/);
    },
  );

  const topicOf = (id: string, given: readonly AlarmProperties[] = alarms) =>
    given
      .filter(({ AlarmDescription }) => AlarmDescription.includes(id))
      .map(({ AlarmActions }) => AlarmActions);

  it("notifies one of the two topics, or nobody", () => {
    expect(alarmsOf().flatMap(({ AlarmActions }) => AlarmActions ?? [])).toEqual([]);
    const { alarmTopicArn, ticketTopicArn } = customContext;
    const byTopic = Map.groupBy(alarms, ({ AlarmActions }) => JSON.stringify(AlarmActions));
    expect([...byTopic.keys()].sort()).toEqual([`["${alarmTopicArn}"]`, `["${ticketTopicArn}"]`]);
    // Keeps pages few, so that each is believed.
    expect(byTopic.get(`["${alarmTopicArn}"]`)?.length).toBeLessThan(alarms.length / 2);
  });

  it("pages somebody about keys and stuck orders, and leaves names of wallets for the next day", () => {
    const { alarmTopicArn, ticketTopicArn } = customContext;
    expect(topicOf("no user has ordered")).toEqual([[alarmTopicArn]]);
    expect(topicOf("no progress for five minutes")).toEqual([[alarmTopicArn]]);
    expect(topicOf(operations.updateWallet.impact)).toEqual([[ticketTopicArn]]);
  });

  it("notifies the topic of pages of everything if there is no other", () => {
    const { ticketTopicArn: _, ...context } = customContext;
    for (const { AlarmActions } of alarmsOf(context)) expect(AlarmActions).toEqual([context.alarmTopicArn]);
  });
});

describe("the alarm on units of hosts", () => {
  it("adds up the units of a day that all functions which ask hosts have logged", () => {
    const counting = filters.filter(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "HostUnits",
    );
    expect(counting.map(({ LogGroupName }) => LogGroupName.Ref.replace(/Log\w{8}$/, ""))).toEqual(
      expect.arrayContaining(["quoteOrder", "placeOrder", "readChains", "readMarkets", "getMarket"]),
    );
    for (const { FilterPattern, MetricTransformations } of counting) {
      expect(FilterPattern).toBe('{ $.message.event = "hosts asked" }');
      expect(MetricTransformations).toMatchObject([{ MetricValue: "$.message.units" }]);
    }
    const context = { ...customContext, hostUnitsPerDay: 7 };
    expect(alarmOn(alarmsOf(context), "HostUnits")).toMatchObject({
      Period: 86_400,
      Threshold: 7,
      Statistic: "Sum",
      AlarmActions: [customContext.ticketTopicArn],
    });
  });
});

describe("the alarm on late broadcasts", () => {
  it("counts lines of executeOrders on both sides of five seconds", () => {
    const patterns = filters.flatMap(({ FilterPattern, MetricTransformations: [metric] }) =>
      /^(Late|Prompt)Broadcasts$/.test(metric?.MetricName ?? "") ? [[metric?.MetricName, FilterPattern]] : [],
    );
    expect(patterns).toEqual([
      ["LateBroadcasts", '{ ($.message.event = "hosts asked") && ($.message.broadcastMs > 5000) }'],
      ["PromptBroadcasts", '{ ($.message.event = "hosts asked") && ($.message.broadcastMs <= 5000) }'],
    ]);
  });
});

describe("the budget", () => {
  it("notifies the topic of tickets of actual and forecast costs", () => {
    const { Properties } = only(watchOf(synthesize(customContext)), "AWS::Budgets::Budget");
    expect(Properties).toMatchObject({
      Budget: { BudgetType: "COST", TimeUnit: "MONTHLY", BudgetLimit: { Amount: 500, Unit: "USD" } },
      NotificationsWithSubscribers: [80, 100, 100].map((Threshold, index) => ({
        Notification: { NotificationType: index === 2 ? "FORECASTED" : "ACTUAL", Threshold },
        Subscribers: [{ SubscriptionType: "SNS", Address: customContext.ticketTopicArn }],
      })),
    });
  });

  it("is left out unless the context names it", () => {
    expect(propertiesOf(watchOf(synthesize()), "AWS::Budgets::Budget")).toEqual([]);
  });
});

describe("the alarms on background work", () => {
  it.each(background)("counts failures of %s, including those that it answers", (name, row) => {
    const { period, ...raised } = raisedBy(row);
    expect(filterOf(name)).toMatchObject({
      FilterPattern: `{ ${logged(name)} }`,
      MetricTransformations: counting(name),
    });
    const [alarm, ...others] = alarms.filter(({ Metrics }) =>
      Metrics?.some(({ MetricStat }) => MetricStat?.Metric.MetricName === `${name}Faults`),
    );
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({ ...raised, TreatMissingData: "notBreaching" });
    expect(alarm?.AlarmDescription).toContain(row.impact);
    expect(alarm?.AlarmDescription).toContain("Look first at");
    const [{ Expression } = {}, ...metrics] = alarm?.Metrics ?? [];
    expect(Expression).toBe("MAX(METRICS())");
    expect(metrics.map(({ MetricStat }) => MetricStat)).toEqual([
      {
        Metric: {
          Namespace: "AWS/Lambda",
          MetricName: "Errors",
          Dimensions: [{ Name: "FunctionName", Value: { Ref: expect.stringMatching(`^${name}Function`) } }],
        },
        Period: period,
        Stat: "Sum",
      },
      {
        Metric: { Namespace: "TerminalApi", MetricName: `${name}Faults` },
        Period: period,
        Stat: "Sum",
      },
    ]);
  });

  it("counts failures of authorizeConnection, but not the connections that it refuses", () => {
    const brokenOff =
      '($.type = "platform.report") && (($.record.status = "timeout") || ($.record.errorType = "Runtime.*"))';
    expect(filterOf("authorizeConnection")).toMatchObject({
      FilterPattern: `{ (${logged("authorizeConnection")}) || (${brokenOff}) }`,
      MetricTransformations: counting("authorizeConnection"),
    });
    const alarm = alarmOn(alarms, "authorizeConnectionFaults");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Period: 300, Threshold: 3 });
    expect(alarm.AlarmDescription).toContain(operations.authorizeConnection.impact);
    const errors = alarms.filter((each) => /"Errors"/.test(JSON.stringify(each)));
    expect(JSON.stringify(errors)).not.toContain("authorizeConnection");
  });

  it.each(operationsOf("changes"))("raises an alarm when %s is late", (name, { impact }) => {
    const alarm = alarmOn(alarms, "IteratorAge", `"${name}Function`);
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanThreshold",
      Period: 300,
      Statistic: "Maximum",
      Threshold: 60_000,
    });
    expect(alarm.AlarmDescription).toContain(impact);
  });

  it("raises an alarm if Lambda gives up on changes", () => {
    const alarm = alarmOn(alarms, "ApproximateNumberOfMessagesVisible", '"ChangesFailed');
    expect(alarm).toMatchObject({
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      Statistic: "Maximum",
      Threshold: 1,
    });
  });

  it("raises an alarm when a key is disabled or will be deleted, and names the call", () => {
    expect(alarmOn(alarms, "ApproximateNumberOfMessagesVisible", '"KeyNoticesQueue')).toMatchObject({
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      Statistic: "Maximum",
      Threshold: 1,
    });
    const { api } = synthesize(customContext);
    const patterns = propertiesOf<{ EventPattern?: { detail: { resources: { ARN: unknown[] } } } }>(
      api,
      "AWS::Events::Rule",
    ).flatMap(({ EventPattern }) => EventPattern ?? []);
    // Counts the keys of wallets, imports and orders.
    expect(patterns.map(({ detail }) => detail.resources.ARN.length)).toEqual([3]);
    expect(patterns).toMatchObject([
      { source: ["aws.kms"], detail: { eventName: ["DisableKey", "ScheduleKeyDeletion"] } },
    ]);
  });

  it("raises an alarm when the issuer's keys cannot be fetched, before users notice", () => {
    const outages = filters.filter(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "IssuerOutages",
    );
    expect(outages).toEqual(
      ["authorize", "authorizeConnection"].map((name) => ({
        FilterPattern: '{ $.message.error = "IssuerUnavailable" }',
        LogGroupName: { Ref: expect.stringMatching(new RegExp(`^${name}Log`)) },
        MetricTransformations: [
          { MetricName: "IssuerOutages", MetricNamespace: "TerminalApi", MetricValue: "1" },
        ],
      })),
    );
    const alarm = alarmOn(alarms, "IssuerOutages");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 3, Period: 300 });
    expect(alarm.AlarmDescription).toMatch(/six hours.*Look first at the issuer's JWKS/);
  });

  it("raises an alarm when no further key or plan fits, and describes the remedy", () => {
    const limits = filters.filter(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "KeyLimitReached",
    );
    const creators = ["mirrorPlans", "makeFallbackKeys"];
    const reached = ["KeyLimitReached", "PlanLimitReached"].map((name) => `($.message.error = "${name}")`);
    expect(limits).toEqual(
      creators.map((name) => ({
        FilterPattern: `{ ${reached.join(" || ")} }`,
        LogGroupName: { Ref: expect.stringContaining(`${name}Log`) },
        MetricTransformations: [
          { MetricName: "KeyLimitReached", MetricNamespace: "TerminalApi", MetricValue: "1" },
        ],
      })),
    );
    const alarm = alarmOn(alarms, "KeyLimitReached");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 1 });
    expect(alarm.AlarmDescription).toMatch(
      /begin to share.*10,000.*Look first at.*freeIdleKeys.*deleteRetiredKeys/,
    );
  });

  it.each(tradingTroubles)("raises an alarm for %s only where trading is on", (trouble) => {
    const filter = filters.find(({ MetricTransformations: [metric] }) => metric?.MetricName === trouble);
    const warned = '($.level = "WARN") && ($.message.operation = "sweepLanes")';
    expect(filter).toEqual({
      FilterPattern: `{ (${warned}) && ($.message.error = "${trouble}") }`,
      LogGroupName: { Ref: expect.stringMatching(/^sweepLanesLog/) },
      MetricTransformations: [{ MetricName: trouble, MetricNamespace: "TerminalApi", MetricValue: "1" }],
    });
    const alarm = alarmOn(alarms, trouble);
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 1 });
    expect(alarm.AlarmDescription).toMatch(/Look first at the warnings in the log of function sweepLanes/);
    expect(() => alarmOn(alarmsOf(), trouble)).toThrow("0 alarms");
  });

  it("raises an alarm for each refusal of the signer, only where trading is on", () => {
    const filter = filters.find(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "SignatureRefused",
    );
    expect(filter).toMatchObject({
      FilterPattern: '{ $.message.event = "signTransaction refused" }',
      LogGroupName: { Ref: expect.stringMatching(/^signTransactionLog/) },
    });
    const alarm = alarmOn(alarms, "SignatureRefused");
    expect(alarm).toMatchObject({ Namespace: "TerminalApi", Statistic: "Sum", Threshold: 1 });
    expect(alarm.AlarmDescription).toMatch(/Stop trading.*Look first at the line in the log of/);
    expect(() => alarmOn(alarmsOf(), "SignatureRefused")).toThrow("0 alarms");
  });

  it("raises an alarm if the signer postpones more requests than it signs", () => {
    const [alarm] = alarms.filter((each) =>
      metricsOf(each).some(({ metric }) => metric.MetricName === "SignaturePostponed"),
    );
    expect(alarm).toMatchObject({ Threshold: 20, TreatMissingData: "notBreaching" });
    expect(alarm?.Metrics).toContainEqual(
      expect.objectContaining({
        Expression: "IF(FILL(postponed, 0) > FILL(signed, 0), FILL(postponed, 0), 0)",
      }),
    );
  });

  const missing = (alarms: readonly AlarmProperties[], name: string) =>
    alarms.filter((alarm) =>
      metricsOf(alarm).some(
        ({ metric }) =>
          metric.MetricName === "Invocations" && JSON.stringify(metric).includes(`"${name}Function`),
      ),
    );

  it.each(operationsOf("schedule"))(
    "raises an alarm when %s has not run",
    (name, { everyMinutes, impact }) => {
      const [alarm, ...others] = missing(alarms, name) as [AlarmProperties];
      expect(others).toEqual([]);
      // Each period contains at least one scheduled run.
      expect(periodOf(alarm)).toBe({ 1: 5, 5: 10 }[everyMinutes] ?? everyMinutes);
      expect(alarm.AlarmDescription).toContain(impact);
    },
  );
});

describe("the dashboard", () => {
  it("shows every function, the connections, the changes and their age", () => {
    const dashboard = JSON.stringify(
      only(watchOf(synthesize(customContext)), "AWS::CloudWatch::Dashboard").Properties,
    );
    for (const name of Object.keys(operations)) expect(dashboard).toContain(`${name} p99`);
    // One alarm counts the throttles of all functions; only the graphs name each function.
    const throttles = dashboard.match(/\\"Throttles\\",\\"FunctionName\\"/g);
    expect(throttles).toHaveLength(Object.keys(operations).length);
    for (const metric of ["ConnectCount", "MessageCount", "IntegrationError", "ClientError", "IteratorAge"])
      expect(dashboard).toContain(metric);
    expect(dashboard).toContain("ApproximateNumberOfMessagesVisible");
  });
});
