import { type Command, Option } from "commander";
import { type Drift, driftIn } from "../../plans/drift.ts";
import type { Admin } from "../admin.ts";
import { driftLine } from "../drift-line.ts";
import { OperatorError } from "../operator-error.ts";
import { print } from "../output.ts";
import { readPlanState } from "../plan-state.ts";
import type { PlanTarget } from "../plan-target.ts";
import { startProgress } from "../progress.ts";
import { repairPlans } from "../repair-plans.ts";
import { planStack } from "../stack-outputs.ts";
import type { PlanTargetOptions } from "../target.ts";
import { targeted } from "../targeted.ts";

type Options = PlanTargetOptions & { check?: true; fix?: true };

export function syncPlans(program: Command, admin: Admin): void {
  targeted(
    program
      .command("sync-plans")
      .description(
        "Compare users' tiers with their keys and plans in API Gateway, which follow by themselves unless something " +
          "went wrong. It reads the whole table. Give exactly one of --check and --fix.",
      )
      .addOption(new Option("--check", "only list what differs; then the exit code is 1").conflicts("fix"))
      .option("--fix", "put right what differs; it can be stopped and run again at any time")
      .addOption(
        new Option("--api-stack <name>", "beside --stack: the deployed API stack")
          .default(planStack.example)
          .conflicts("local"),
      ),
  ).action(async ({ check, fix, ...options }: Options, command: Command) => {
    if (!check && !fix) command.error("error: one of --check and --fix is required");
    const target = await admin.openPlans(options);
    const drifts = driftIn(await readPlanState(target), target, admin.now());
    if (fix) await repairAll(admin, target, drifts);
    else report(admin, drifts);
  });
}

function report({ stdout }: Admin, drifts: readonly Drift[]): void {
  for (const drift of drifts) print(stdout, driftLine(drift));
  print(stdout, `differences: ${drifts.length}`);
  if (drifts.length === 0) return;
  throw new OperatorError(
    "Not everything is as it should be; what is under way now may be among it. --fix puts it right",
  );
}

async function repairAll(admin: Admin, target: PlanTarget, drifts: readonly Drift[]): Promise<void> {
  const tally = { repaired: 0, failed: 0 };
  if (drifts.length > 0) {
    const signal = admin.interruption();
    const lines: string[] = [];
    const progress = startProgress(admin.stderr, "repairing", drifts.length);
    await repairPlans(target, drifts, {
      signal,
      now: admin.now,
      report(result) {
        tally[result.outcome]++;
        const outcome = result.outcome === "failed" ? `failed, ${result.reason}` : result.outcome;
        lines.push(`${driftLine(result.drift)}: ${outcome}`);
        progress.step();
      },
    });
    progress.stop();
    for (const line of lines) print(admin.stdout, line);
  }
  print(admin.stdout, `repaired: ${tally.repaired}\nfailed: ${tally.failed}`);
  const left = drifts.length - tally.repaired;
  if (left === 0) return;
  const reason = tally.repaired + tally.failed < drifts.length ? "Stopped" : "Not all was done";
  throw new OperatorError(`${reason}; differences left: ${left}; run the same command again to go on`);
}
