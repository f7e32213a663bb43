import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { type OperationName, operationsOf } from "../../operations/operations.ts";
import type { Operation, ScheduleRow } from "../../operations/types.ts";
import type { AlarmTopics } from "../alarm-context.ts";
import type { Notices } from "../data/notices.ts";
import type { OperationFunction } from "../functions/operation-functions.ts";
import { type AddAlarm, lateAndFilled } from "./add-alarm.ts";
import {
  countFailedRequests,
  failedRequests,
  failuresBesideRefusals,
  failuresOf,
  issuerOutages,
  limitsReached,
  lostNotices,
  refusedKeys,
  runsOf,
  sumOverCalls,
  throttledRequests,
  type Watched,
} from "./metrics.ts";
import { watchHostUnits, watchJupiter, watchMarkets, watchTrading } from "./trading-alarms.ts";

const fiveMinutes = Duration.minutes(5);

/**
 * Operations whose failures need a person at once: without them, nobody can sign in, trade or stop a thief, or changes
 * are lost.
 */
const urgentOperations: readonly OperationName[] = [
  "authorize",
  "authorizeConnection",
  "publishChanges",
  "placeOrder",
  "executeOrders",
  "signTransaction",
  "readChains",
  "watchTriggers",
  "sweepLanes",
  "cancelOrder",
  "cancelOrders",
  "cancelExport",
  "lockExports",
  "sealExport",
];

/** Alarms that need a person at once. All others can wait until the next working day. */
const pages: ReadonlySet<string> = new Set([
  ...urgentOperations.map((name) => `${name}Failures`),
  "publishChangesLate",
  "ChangesGaveUp",
  "readChainsMissing",
  "watchTriggersMissing",
  "sweepLanesMissing",
  "KeysRefused",
  "IssuerOutage",
  "FunctionThrottles",
  "TableFailures",
  "KeyEndangered",
  "SignatureRefused",
  "SignaturesPostponed",
  "OrderWithoutProgress",
  "LaneHeldTooLong",
  "ReaderMissing",
  "ChainUnavailable",
]);

/** Alarms whose descriptions name the effect on users and where to look first. Without a topic, they notify nobody. */
export class Alarms extends Construct {
  readonly #page: SnsAction | undefined;
  readonly #ticket: SnsAction | undefined;

  readonly #add: AddAlarm = (id, metric, alarmDescription, { period = fiveMinutes, ...raised } = {}) => {
    const alarm = new Alarm(this, id, {
      metric: metric.with({ period }),
      alarmDescription,
      // Tolerates single failures, which may be transient.
      threshold: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...raised,
    });
    const action = pages.has(id) ? this.#page : this.#ticket;
    if (action) alarm.addAlarmAction(action);
  };

  constructor(
    scope: Construct,
    id: string,
    watched: Watched,
    {
      page,
      ticket,
      hostUnitsPerDay,
      hasJupiter,
    }: AlarmTopics & {
      hostUnitsPerDay: number;
      hasJupiter: boolean;
    },
  ) {
    super(scope, id);
    const actionOf = (id: string, topicArn: string | undefined) =>
      topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, id, topicArn));
    this.#page = actionOf("Topic", page);
    this.#ticket = page === ticket ? this.#page : actionOf("TicketTopic", ticket);

    this.#watchRequests(watched);
    this.#watchBackground(watched);
    this.#watchChanges(watched);
    this.#watchSchedules(watched);
    this.#watchThrottles(watched);
    this.#watchThrottledRequests(watched);
    this.#watchKeys(watched);
    if (watched.notices) this.#watchNotices(watched.notices, watched.functions.get("notifyOwner"));
    if (watched.functions.has("sweepLanes")) watchTrading(this, this.#add, watched);
    if (watched.functions.has("readMarkets")) watchMarkets(this, this.#add, watched);
    if (watched.functions.has("sweepLanes")) watchHostUnits(this, this.#add, watched, hostUnitsPerDay);
    if (hasJupiter) watchJupiter(this, this.#add, watched);
  }

  /** Alarms on failed requests, and on failures to identify callers. */
  #watchRequests({ api, endpoints, stream, functions }: Watched) {
    countFailedRequests(this, api);
    for (const endpoint of endpoints) {
      const { name, row } = endpoint.operation;
      this.#add(
        `${name}Failures`,
        failedRequests(endpoint, api),
        `${row.impact} Look first at the alarm of the authorizer, then at the log of function ${name}.`,
      );
    }

    const issuerFirst = (name: string) =>
      `Look first at whether the issuer's keys can be fetched, then at the log of function ${name}.`;
    const authorize = functions.get("authorize");
    this.#add(
      `${authorize.name}Failures`,
      authorize.lambda.metricErrors(),
      `${authorize.row.impact} ${issuerFirst(authorize.name)}`,
    );
    const authorizeConnection = functions.get("authorizeConnection");
    this.#add(
      `${authorizeConnection.name}Failures`,
      failuresBesideRefusals(this, authorizeConnection),
      `${authorizeConnection.row.impact} ${issuerFirst(authorizeConnection.name)}`,
    );
    this.#add(
      "IssuerOutage",
      issuerOutages(this, [authorize, authorizeConnection]),
      "The issuer's keys cannot be fetched. Users notice nothing while the last good keys can be used, which is for six hours. Tokens signed with a new key get a 500, and so does every token in a function that has just started. Look first at the issuer's JWKS.",
    );
    this.#add(
      "KeysRefused",
      refusedKeys(this, [api.accessLog, stream.accessLog]),
      "Users get a 403 for every request: API Gateway refuses the API keys that the authorizers name. Look first at whether the shared key and all usage plans exist, and cover both stages. makeFallbackKeys replaces lost fallback keys within five minutes. If the keys are new ones, raise keyGraceSeconds.",
    );
  }

  /**
   * Alarms on failures of functions that do not serve the REST API: those for connections and messages, changes,
   * schedules and direct invocations.
   */
  #watchBackground({ functions }: Watched) {
    for (const operation of functions.all()) {
      const { name, row } = operation;
      if (row.kind === "rest" || row.kind === "authorizer") continue;
      this.#add(
        `${name}Failures`,
        failuresOf(this, operation),
        `${row.impact} Look first at the log of function ${name}: one line names the fault and, if AWS failed, AWS's request id.`,
        raisedByFailures(row),
      );
    }
  }

  /**
   * Alarms on changes that are published late or never, and on usage plans that cannot be adapted to users' profiles.
   */
  #watchChanges({ functions, changes }: Watched) {
    for (const [name, { impact }] of operationsOf("changes")) {
      this.#add(
        `${name}Late`,
        functions.get(name).lambda.metric("IteratorAge", { statistic: Stats.MAXIMUM }),
        `${impact} Changes wait for more than a minute. Look first at the failures, throttles and duration of function ${name}.`,
        { threshold: 60_000, comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD },
      );
    }
    this.#add(
      "ChangesGaveUp",
      changes.failed.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM }),
      "Some clients missed a change until they read again, or a user keeps an old rate limit until their next visit. Look first at the messages in the queue of failed changes, which name the function and the position in the stream, then at that function's log. Delete the messages afterwards.",
      { threshold: 1 },
    );
    this.#add(
      "KeyLimitReached",
      limitsReached(this, [functions.get("mirrorPlans"), functions.get("makeFallbackKeys")]),
      "Active users begin to share rate limits. No room is left for another API key (10,000 per account and region, some of them reserved) or another customer's plan (300), so users without a key of their own stay on fallback keys. Look first at whether freeIdleKeys and deleteRetiredKeys run. If they do, that many users are active, and docs/plans.md says how to make room.",
      { threshold: 1 },
    );
  }

  /** Alarms on schedules that do not run. */
  #watchSchedules({ functions }: Watched) {
    for (const [name, row] of operationsOf("schedule").filter(([name]) => functions.has(name)))
      this.#add(
        `${name}Missing`,
        runsOf(functions.get(name)),
        `${row.impact} Function ${name} did not run on schedule. Look first at its rule in EventBridge, then at its throttles.`,
        {
          // Allows for a late run and a delayed metric. CloudWatch allows no period longer than a day.
          period: Duration.minutes(Math.min(Math.max(5, 2 * row.everyMinutes), 24 * 60)),
          datapointsToAlarm: 2,
          // Looks back far enough to include the last run, so that there is data until the alarm is raised.
          evaluationPeriods: 4,
          threshold: 1,
          comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
          // Ignores missing data, because the first run may come a day after the deployment.
          treatMissingData: TreatMissingData.IGNORE,
        },
      );
  }

  /** Alarms on notices that notifyOwner could not read, again and again, or that no device gets. */
  #watchNotices({ failed }: Notices, notifyOwner: OperationFunction) {
    this.#add(
      "NoticesLost",
      lostNotices(this, notifyOwner),
      "Many devices were not reached for a day, perhaps not for notices of custody either. Single users' dead webhooks are no reason. Look first at whether function notifyOwner reaches the internet, then at the key for pushes (admin make-push-key).",
      { threshold: 20 },
    );
    this.#add(
      "NoticesGaveUp",
      failed.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM }),
      "A user's device did not get a notice, perhaps of an export or a looser guard: function notifyOwner failed each time that it read it. Look first at the log of function notifyOwner, then move the messages back from the queue of failed notices.",
      { threshold: 1 },
    );
  }

  /** Alarms on keys that nobody can use any more, or soon will. */
  #watchKeys({ keyNotices }: Watched) {
    this.#add(
      "KeyEndangered",
      keyNotices.queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM }),
      "A KMS key was disabled, or will be deleted after a waiting time. Without the wallets' key, nobody can import wallets, sign or export, and once it is deleted, all wallets are lost. Look first at the messages in the queue of key notices, which name the key and the caller, then at the runbook. Delete the messages afterwards.",
      { threshold: 1 },
    );
  }

  /** Alarms on methods that users call too often, one of them or all together. */
  #watchThrottledRequests({ api }: Watched) {
    const look =
      "Look first at the access log of the REST API: if one principalId has nearly all lines with the errorType THROTTLED, only its own limit is reached.";
    this.#add(
      "ChartsThrottled",
      throttledRequests(this, api, "Charts"),
      `Users get a 429 for charts and prices of tokens. ${look} Otherwise, raise getMarket and listCandles (context throttles).`,
      { threshold: 300, ...lateAndFilled },
    );
    this.#add(
      "OrdersThrottled",
      throttledRequests(this, api, "Orders"),
      `Users get a 429 for quotes or orders. ${look} Otherwise, raise quoteOrder and placeOrder (context throttles), or the account's rate.`,
      { threshold: 300, ...lateAndFilled },
    );
    this.#add(
      "GuardsThrottled",
      throttledRequests(this, api, "Guards"),
      `Owners get a 429 when they cancel, lock, freeze or sign out to stop a thief. ${look} Otherwise, the account's rate is used up: block the addresses of the flood at the firewall.`,
      { threshold: 50, ...lateAndFilled },
    );
  }

  /** Alarms on calls that Lambda or DynamoDB rejected, and on failures of DynamoDB. */
  #watchThrottles({ table }: Watched) {
    this.#add(
      "FunctionThrottles",
      LambdaFunction.metricAllThrottles(),
      "Any operation may fail: Lambda rejects calls of functions in this account and region. Look first at the dashboard, which names the functions, then at the account's concurrency and at the functions that use it up, including those of other applications.",
    );
    this.#add(
      "TableThrottles",
      sumOverCalls(table, "ThrottledRequests"),
      "Any operation may be slow or fail. Look first at the consumed capacity on the dashboard: one user's partition may be hot.",
      lateAndFilled,
    );
    this.#add(
      "TableFailures",
      sumOverCalls(table, "SystemErrors"),
      "Any operation may fail. Look first at the health of DynamoDB in this region.",
      lateAndFilled,
    );
  }
}

/** Shortest alarm period that contains at least one run. */
const periodOf = ({ everyMinutes }: ScheduleRow) => Duration.minutes(Math.max(5, everyMinutes));

/** Requires three failures within five minutes, or three failed runs in a row of a function that runs less often. */
function raisedByFailures(row: Operation) {
  if (row.kind !== "schedule" || row.everyMinutes < 5) return {};
  return { period: periodOf(row), evaluationPeriods: 3, threshold: 1 };
}
