import { describe, expect, it } from "vitest";
import { restAccessLogFormat, streamAccessLogFormat } from "../../lib/infra/monitoring/access-log.ts";
import {
  operations,
  operationsOf,
  type RestOperationName,
  servedMethods,
} from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import type { AlarmProperties } from "./alarm-states.ts";
import { alarmOn, alarmsOf, filtersFor } from "./found-alarms.ts";
import { customContext, only, propertiesOf, synthesize, watchOf } from "./synthesized.ts";

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
    const failed = filtersFor("FailedRequests");
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
      kinds("websocket", "internal", "refusal", "notices") + 2 * kinds("changes") + 2 * kinds("schedule");
    const others = [
      ...["FunctionThrottles", "TableThrottles", "TableFailures", "ChangesGaveUp", "KeyLimitReached"],
      ...["IssuerOutage", "KeysRefused", "KeyEndangered", "NoticesLost", "NoticesGaveUp"],
      ...["ChartsThrottled", "OrdersThrottled", "GuardsThrottled"],
      ...["OrderWithoutProgress", "LaneHeldTooLong", "ReaderMissing", "ChainUnavailable"],
      ...["MarketsStale", "HostUnits"],
      ...["SignatureRefused", "SignaturesPostponed", "BroadcastsLate"],
    ];
    expect(alarms).toHaveLength(ofRequests + ofRealTime + others.length);
  });

  it("counts API keys that API Gateway refuses, over HTTP and WebSocket", () => {
    const refused = filtersFor("RefusedKeys");
    expect(refused).toEqual(
      ["ApiAccessLog", "StreamAccessLog"].map((log) => ({
        FilterPattern:
          '{ ($.errorType = "INVALID_API_KEY") && ($.principalId != "outside the edge") && ($.principalId != "scope missing: *") }',
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
      [
        ...(["setWalletPolicy", "cancelExport", "lockExports", "endSession", "deleteKey"] as const),
        ...(["cancelOrder", "cancelOrders"] as const),
      ],
    ],
  ])(
    "counts requests for %s that API Gateway throttles, and raises an alarm at %i",
    (group, least, names) => {
      const [filter, ...others] = filtersFor(`Throttled${group}`);
      expect(others).toEqual([]);
      expect(filter).toMatchObject({
        FilterPattern: `{ ($.errorType = "THROTTLED") && (${methodsOf(names).join(" || ")}) }`,
        LogGroupName: { Ref: expect.stringMatching(/^ApiAccessLog/) },
      });
      // CloudWatch rejects longer patterns.
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
    // Keeps urgent alarms few, so that each one is taken seriously.
    expect(byTopic.get(`["${alarmTopicArn}"]`)?.length).toBeLessThan(alarms.length / 2);
  });

  it("pages somebody about keys and stuck orders, and leaves names of wallets for the next day", () => {
    const { alarmTopicArn, ticketTopicArn } = customContext;
    expect(topicOf("no user has ordered")).toEqual([[alarmTopicArn]]);
    expect(topicOf("no progress for five minutes")).toEqual([[alarmTopicArn]]);
    expect(topicOf(operations.updateWallet.impact)).toEqual([[ticketTopicArn]]);
  });

  it("sends every alarm to the topic of pages if there is no other topic", () => {
    const { ticketTopicArn: _, ...context } = customContext;
    for (const { AlarmActions } of alarmsOf(context)) expect(AlarmActions).toEqual([context.alarmTopicArn]);
  });
});

describe("the alarm on units of hosts", () => {
  it("adds up the units of a day that all functions which ask hosts have logged", () => {
    const counting = filtersFor("HostUnits");
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
    const patterns = ["LateBroadcasts", "PromptBroadcasts"].flatMap((name) =>
      filtersFor(name).map(({ FilterPattern }) => [name, FilterPattern]),
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
