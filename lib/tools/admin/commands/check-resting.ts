import type { Command } from "commander";
import { writeStep } from "../../../trading/items/write-step.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { restingDisagreements } from "../resting.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { harmless, print } from "../terminal.ts";

export function checkResting(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("check-resting")
      .description("Compare resting orders with the triggers by which they fire. Reads the whole table."),
  ).action((options: TargetOptions) => compare(deps, options, false));
}

export function rebuildTriggers(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("rebuild-triggers")
      .description(
        "Write the triggers of resting orders that lack them, and remove all others. Reads the whole table.",
      ),
  ).action((options: TargetOptions) => compare(deps, options, true));
}

async function compare(deps: AdminDeps, options: TargetOptions, mends: boolean): Promise<void> {
  const { table } = await deps.openTarget(options);
  let count = 0;
  for await (const { orderId, problem, mend } of restingDisagreements(table)) {
    count++;
    print(deps.stdout, `${harmless(orderId)} ${problem}`);
    if (mends) await writeStep(table, [mend]);
  }
  print(deps.stdout, `${mends ? "mended" : "wrong"}: ${count}`);
  if (count > 0 && !mends) throw new OperatorError("Triggers are wrong; run rebuild-triggers");
}
