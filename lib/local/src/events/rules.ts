import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { account } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { MayInvoke } from "../cloudformation/permissions.ts";
import { notEmulated, type Resource, readProperties, resolved } from "../cloudformation/resource.ts";
import { ruleArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { InvokeLater } from "../lambda/async-invocations.ts";
import { isOnBus } from "./buses.ts";

/** A rule of EventBridge that invokes functions on a schedule. */
export type Rule = {
  arn: string;
  rateMs: number;
  /** Functions with the event that each gets. If it is undefined, a function gets the event of the schedule. */
  targets: { functionArn: string; input?: unknown }[];
};

export type RuleDeps = {
  invokeLater: InvokeLater;
  mayInvoke: MayInvoke;
  clock: Clock;
  signal: AbortSignal;
  /** Called with a line for each function that was not invoked and the reason. */
  report: (line: string) => void;
};

const unread = v.optional(v.unknown());

const Properties = v.strictObject({
  Name: unread,
  Description: unread,
  Tags: unread,
  EventBusName: v.optional(v.literal("default")),
  ScheduleExpression: v.string(),
  State: v.optional(v.picklist(["ENABLED", "DISABLED"])),
  Targets: v.optional(
    v.array(
      v.strictObject({
        Id: v.string(),
        Arn: v.string(),
        // JSON of the event that the target gets in place of that of the schedule.
        Input: v.optional(v.pipe(v.string(), v.parseJson())),
        // Policy for the hand-over to Lambda, which cannot fail here. AWS::Lambda::EventInvokeConfig sets how often
        // Lambda retries the function.
        RetryPolicy: v.optional(
          v.strictObject({ MaximumEventAgeInSeconds: unread, MaximumRetryAttempts: unread }),
        ),
      }),
    ),
    [],
  ),
});

/**
 * Reads the rules that are enabled.
 *
 * @throws {StartupError} if a property is not emulated or a target is missing; the message names both rule and property
 */
export function readRules(resources: Resources, hasFunction: (nameOrArn: string) => boolean): Rule[] {
  return resources.ofType("AWS::Events::Rule").flatMap((resource) => {
    if (waitsForAws(resource) || isOnBus(resource)) return [];
    const { ScheduleExpression, State, Targets } = readProperties(Properties, resolved(resource));
    const targets = Targets.map(({ Arn, Input }, index) => {
      if (!hasFunction(Arn)) throw notEmulated(resource, `Targets.${index}.Arn: not a function`);
      return { functionArn: Arn, ...(Input !== undefined && { input: Input }) };
    });
    const rateMs = rateOf(resource, ScheduleExpression);
    return State === "DISABLED" ? [] : [{ arn: ruleArn(resource), rateMs, targets }];
  });
}

const Pattern = v.looseObject({
  EventPattern: v.looseObject({ source: v.tuple([v.pipe(v.string(), v.startsWith("aws."))]) }),
});

/** True for a rule on events of AWS's own services. It never runs, because no such event happens here. */
const waitsForAws = (resource: Resource): boolean => v.is(Pattern, resource.properties());

const UNITS_MS = { minute: 60_000, hour: 3600_000, day: 24 * 3600_000 };

/** Reads e.g. `rate(5 minutes)`. As on AWS, the unit is singular for 1 and plural for every other number. */
function rateOf(resource: Resource, expression: string): number {
  const [, count, unit, plural] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  if (count === undefined || (count === "1") !== (plural === "")) {
    throw notEmulated(resource, `ScheduleExpression: ${expression} (only rate(...) is)`);
  }
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/**
 * Invokes the targets of a rule at once and then at its rate, until the signal is aborted. Times are counted from the
 * first run, so they do not drift. While the machine sleeps, runs are skipped.
 */
export async function followRule({ arn, rateMs, targets }: Rule, deps: RuleDeps): Promise<void> {
  const { invokeLater, mayInvoke, clock, signal, report } = deps;
  const first = clock.now();
  while (!signal.aborted) {
    for (const { functionArn, input = scheduledEvent(arn, clock.now()) } of targets) {
      if (mayInvoke(functionArn, arn)) invokeLater(functionArn, input);
      else report(`${arn} has no permission to invoke ${functionArn}`);
    }
    const passed = Math.floor((clock.now() - first) / rateMs);
    const next = first + (passed + 1) * rateMs;
    // Timers may fire a little early.
    while (!signal.aborted && clock.now() < next) await clock.pause(next - clock.now(), signal);
  }
}

/** https://docs.aws.amazon.com/eventbridge/latest/ref/events-structure.html */
function scheduledEvent(ruleArn: string, now: number) {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: account.id,
    // EventBridge omits fractions of seconds.
    time: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
    region: account.region,
    resources: [ruleArn],
    detail: {},
  };
}
