import * as v from "valibot";
import { notEmulated, type Resource, readProperties, resolved } from "../cloudformation/resource.ts";
import { ruleArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { requireQueue } from "./destination.ts";
import type { Queues } from "./queues.ts";
import { readRate } from "./rate.ts";

/** A rule of EventBridge that runs functions by the clock. */
export type RuleDefinition = {
  arn: string;
  /** Milliseconds. */
  rate: number;
  targets: RuleTarget[];
};

export type RuleTarget = {
  functionArn: string;
  /** What the function is given in place of the event. */
  input: { value: unknown } | undefined;
  /** ARN of the queue that gets what could not be handed to Lambda. */
  deadLetters: string | undefined;
};

const unread = v.optional(v.unknown());

const Target = v.strictObject({
  Id: v.string(),
  Arn: v.string(),
  Input: v.optional(v.pipe(v.string(), v.parseJson())),
  // About handing the event to Lambda, at which nothing fails here that could succeed later. How often the
  // function is tried is for an AWS::Lambda::EventInvokeConfig to say.
  RetryPolicy: v.optional(v.strictObject({ MaximumEventAgeInSeconds: unread, MaximumRetryAttempts: unread })),
  DeadLetterConfig: v.optional(v.strictObject({ Arn: v.string() })),
});

const Rule = v.strictObject({
  Name: unread,
  Description: unread,
  Tags: unread,
  EventBusName: v.optional(v.literal("default")),
  ScheduleExpression: v.string(),
  State: v.optional(v.picklist(["ENABLED", "DISABLED"]), "ENABLED"),
  Targets: v.optional(v.array(Target), []),
});

/**
 * The rules of the stacks that are switched on.
 * @throws StartupError that names the rule and what of it is not emulated, or is not there
 */
export function readRules(
  resources: Resources,
  hasFunction: (nameOrArn: string) => boolean,
  queues: Pick<Queues, "has">,
): RuleDefinition[] {
  return resources
    .ofType("AWS::Events::Rule")
    .map((resource) => {
      const { State, ScheduleExpression, Targets } = readProperties(Rule, resolved(resource));
      const targets = Targets.map(({ Arn, DeadLetterConfig, ...target }, index): RuleTarget => {
        if (!hasFunction(Arn)) throw notEmulated(resource, `Targets.${index}.Arn: it is not a function`);
        const deadLetters = DeadLetterConfig?.Arn;
        requireQueue(queues, deadLetters, resource, `Targets.${index}.DeadLetterConfig.Arn`);
        const input = "Input" in target ? { value: target.Input } : undefined;
        return { functionArn: Arn, input, deadLetters };
      });
      return { State, arn: ruleArn(resource), rate: rateOf(resource, ScheduleExpression), targets };
    })
    .filter(({ State }) => State === "ENABLED")
    .map(({ arn, rate, targets }) => ({ arn, rate, targets }));
}

function rateOf(resource: Resource, expression: string): number {
  try {
    return readRate(expression);
  } catch {
    throw notEmulated(resource, `ScheduleExpression: ${expression}, which is not a rate(...)`);
  }
}
