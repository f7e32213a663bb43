import type { MayInvoke } from "../cloudformation/permissions.ts";
import type { InvokeLater } from "../lambda/async-invocations.ts";
import { nameIn } from "../lambda/lambda.ts";
import type { Clock } from "./clock.ts";
import type { Queues } from "./queues.ts";
import type { RuleDefinition, RuleTarget } from "./rule-definition.ts";
import { scheduledEvent } from "./scheduled-event.ts";

export type ScheduleSurroundings = {
  invokeLater: InvokeLater;
  mayInvoke: MayInvoke;
  queues: Pick<Queues, "send">;
  clock: Clock;
  signal: AbortSignal;
  /** Hears in one line why a function was not invoked. */
  report: (line: string) => void;
};

/**
 * Runs the targets of a rule at once and then at its rate, until the signal is aborted. The times are counted
 * from the first run, so that they do not wander; those that pass while the machine sleeps are left out.
 */
export async function followRule(rule: RuleDefinition, surroundings: ScheduleSurroundings): Promise<void> {
  const { clock, signal } = surroundings;
  const first = clock.now();
  while (!signal.aborted) {
    for (const target of rule.targets) run(rule.arn, target, surroundings);
    const passed = Math.floor((clock.now() - first) / rule.rate);
    const next = first + (passed + 1) * rule.rate;
    // A timer may come a little early.
    while (!signal.aborted && clock.now() < next) await clock.pause(next - clock.now(), signal);
  }
}

function run(
  ruleArn: string,
  { functionArn, input, deadLetters }: RuleTarget,
  { invokeLater, mayInvoke, queues, clock, report }: ScheduleSurroundings,
): void {
  const event = input === undefined ? scheduledEvent(ruleArn, clock.now()) : input.value;
  if (mayInvoke(functionArn, ruleArn)) {
    invokeLater(functionArn, event);
    return;
  }
  report(`${ruleArn} has no permission to invoke ${functionArn}`);
  if (deadLetters !== undefined) queues.send(deadLetters, nameIn(functionArn), event);
}
