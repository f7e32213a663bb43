import { Duration } from "aws-cdk-lib";
import { Schedule as Rate, Rule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import type { ScheduleRow } from "../../operation-types.ts";
import { freshOnly } from "./fresh-only.ts";
import type { OperationFunction } from "./operation-function.ts";

/** Runs a row's function at its rate, unless switched off. A run may still be under way when the next one begins. */
export function addSchedule(
  scope: Construct,
  { everyMinutes, summary }: ScheduleRow,
  { name, lambda }: OperationFunction,
  enabled: boolean,
): Rule {
  // Once EventBridge has handed over, it is Lambda that would try again.
  lambda.configureAsyncInvoke(freshOnly);
  return new Rule(scope, `${name}Schedule`, {
    description: summary,
    schedule: Rate.rate(Duration.minutes(everyMinutes)),
    enabled,
    targets: [new LambdaFunction(lambda, freshOnly)],
  });
}
