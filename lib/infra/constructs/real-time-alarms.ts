import { ComparisonOperator, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { operationsOf } from "../../operations.ts";
import type { Alarms } from "./alarms.ts";
import { failuresOf } from "./faults.ts";
import type { Watched } from "./watched.ts";

/** Alarms on what happens without a request: connections and their messages, changes, prices and executions. */
export function addRealTimeAlarms(alarms: Alarms, { functions, changes, scheduled }: Watched): void {
  for (const operation of functions.all()) {
    const { name, row } = operation;
    // Those that serve or authorize requests have alarms of their own.
    if (row.kind === "rest" || row.kind === "authorizer") continue;
    alarms.add(
      `${name}Failures`,
      failuresOf(operation),
      `${row.impact} Look first at the log of function ${name}: a line names the fault, and AWS's request id where AWS failed.`,
    );
  }

  for (const [name, { impact }] of operationsOf("stream")) {
    alarms.add(
      `${name}Late`,
      functions.get(name).lambda.metric("IteratorAge", { statistic: Stats.MAXIMUM }),
      `${impact} Changes wait for more than a minute: look first at the failures, throttles and duration of function ${name}.`,
      { threshold: 60_000, comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD },
    );
    alarms.add(
      `${name}GaveUp`,
      changes.failed.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM }),
      `Some clients missed a change until they read again. Look first at the messages in the queue of failed changes, which say where in the stream, then at the log of function ${name}; delete them when done.`,
      { threshold: 1 },
    );
  }

  if (!scheduled) return;
  for (const [name, { impact }] of operationsOf("schedule"))
    alarms.add(
      `${name}Missing`,
      functions.get(name).lambda.metricInvocations(),
      `${impact} Function ${name} was not run for five minutes: look first at its rule in EventBridge, then at its throttles.`,
      {
        threshold: 1,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      },
    );
}
