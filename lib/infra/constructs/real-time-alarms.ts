import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Operation, ScheduleRow } from "../../operation-types.ts";
import { operationsOf } from "../../operations.ts";
import type { Alarms } from "./alarms.ts";
import { failuresOf, limitsReached } from "./faults.ts";
import type { Watched } from "./watched.ts";

/** Alarms on what happens without a request: connections and their messages, changes, prices, executions and plans. */
export function addRealTimeAlarms(alarms: Alarms, { functions, changes, isOn }: Watched): void {
  for (const operation of functions.all()) {
    const { name, row } = operation;
    // Those that serve or authorize requests have alarms of their own.
    if (row.kind === "rest" || row.kind === "authorizer") continue;
    alarms.add(
      `${name}Failures`,
      failuresOf(operation),
      `${row.impact} Look first at the log of function ${name}: a line names the fault, and AWS's request id where AWS failed.`,
      raisedByFailures(row),
    );
  }

  for (const [name, { impact }] of operationsOf("changes")) {
    alarms.add(
      `${name}Late`,
      functions.get(name).lambda.metric("IteratorAge", { statistic: Stats.MAXIMUM }),
      `${impact} Changes wait for more than a minute: look first at the failures, throttles and duration of function ${name}.`,
      { threshold: 60_000, comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD },
    );
  }
  alarms.add(
    "ChangesGaveUp",
    changes.failed.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM }),
    "Some clients missed a change until they read again, or a user's rate limit is an old one until their next visit. Look first at the messages in the queue of failed changes, which say for which function and where in the stream, then at that function's log; delete them when done.",
    { threshold: 1 },
  );
  alarms.add(
    "KeyLimitReached",
    limitsReached(functions.get("mirrorPlans")),
    "New users share one rate limit: API Gateway has no room for another key (10,000 for an account and region) or for another customer's plan (300). Look first at whether freeIdleKeys and deleteRetiredKeys run; if they do, there are as many active users, and the README's section on plans says how to make room.",
    { threshold: 1 },
  );

  for (const [name, row] of operationsOf("schedule").filter(([, row]) => isOn(row)))
    alarms.add(
      `${name}Missing`,
      functions.get(name).lambda.metricInvocations(),
      `${row.impact} Function ${name} was not run when it should have been: look first at its rule in EventBridge, then at its throttles.`,
      {
        period: periodOf(row),
        // A run may come a little late, and so leave a period without one.
        evaluationPeriods: row.everyMinutes < periodOf(row).toMinutes() ? 1 : 2,
        threshold: 1,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      },
    );
}

/** The shortest period of alarms, in which there is a run at least. */
const periodOf = ({ everyMinutes }: ScheduleRow) => Duration.minutes(Math.max(5, everyMinutes));

/** Three failures within five minutes; of what runs less often, three runs one after the other. */
function raisedByFailures(row: Operation) {
  if (row.kind !== "schedule" || row.everyMinutes < 5) return {};
  return { period: periodOf(row), evaluationPeriods: 3, threshold: 1 };
}
