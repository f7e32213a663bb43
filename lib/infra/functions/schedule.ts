import { Duration, Stack } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { ScheduleRow } from "../../operations/types.ts";
import type { OperationFunction } from "./operation-functions.ts";

/** Invocation settings for work that is soon out of date, because the next message or run replaces it. */
export const freshOnly = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };

/** Invocation settings for a run that nobody else starts again: if it fails, Lambda does, after one minute and after two. */
export const untilDone = { retryAttempts: 2, maxEventAge: Duration.hours(1) };

/**
 * Invokes a function in the VPC every day. Lambda takes back the network interfaces of a function that is
 * idle for 14 days, and the next invocation would fail.
 */
export const keepInUse = ({ name, lambda }: OperationFunction): Rule =>
  new Rule(Stack.of(lambda), `${name}Ping`, {
    description: `Keep the network interfaces of ${name}`,
    schedule: Schedule.rate(Duration.days(1)),
    targets: [new LambdaFunction(lambda)],
  });

/** Runs a row's function at its rate. Runs may overlap. */
export function addSchedule(
  { everyMinutes, summary }: ScheduleRow,
  { name, lambda }: OperationFunction,
): Rule {
  // Once EventBridge has delivered the event, Lambda does the retries.
  lambda.configureAsyncInvoke(freshOnly);
  return new Rule(Stack.of(lambda), `${name}Schedule`, {
    description: summary,
    schedule: Schedule.rate(Duration.minutes(everyMinutes)),
    targets: [new LambdaFunction(lambda, freshOnly)],
  });
}
