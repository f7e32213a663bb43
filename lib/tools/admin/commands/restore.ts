import { type Command, Option } from "commander";
import { forEachConcurrently } from "../../../core/concurrency.ts";
import { type Comparison, type Difference, keyOf, lostItems, newerItems, undo } from "../backup.ts";
import { OperatorError, reasonOf } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { voidResting } from "../resting.ts";
import { type KeptReason, keptReasons } from "../restored-guards.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { harmless, print } from "../terminal.ts";

type Options = TargetOptions & { check?: true; fix?: true; exact?: true; yes?: true; user?: string };

/** Maximum number of items that --exact deletes without --yes. */
const maxDeletions = 20;

const concurrency = 8;

export function restore(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("restore <table>")
      .description(
        "Compare the service's table with a table that was restored from a backup, and put back missing items. " +
          "Skips connections, API keys and prices. Reads both tables. Give exactly one of --check and --fix.",
      )
      .addOption(new Option("--check", "only list the differences").conflicts("fix"))
      .option("--fix", "put back missing items; may be stopped and run again at any time")
      .option("--exact", "with --fix: also undo changes, and delete what the other table lacks")
      .option("--yes", `do not ask about what is not restored, and allow more than ${maxDeletions} deletions`)
      .option(
        "--user <id>",
        "only this user's profile, settings, wallets, policies, orders, positions, points and redemptions",
      ),
  ).action(async (name: string, { check, fix, exact, yes, user, ...options }: Options, command: Command) => {
    if (!check && !fix) command.error("error: one of --check and --fix is required");
    const { table } = await deps.openTarget(options);
    if (name === table.name)
      throw new OperatorError(`${name} is the service's own table; name the restored one`);
    const isExact = exact ?? false;
    const comparison = { table, backup: { ...table, name }, userID: user, isExact, now: deps.now() };
    if (check) return report(deps, comparison);
    await announceWork(deps, comparison, { isExact, isSure: yes ?? false });
    await undoAll(deps, comparison, isExact);
  });
}

async function* differences(comparison: Comparison): AsyncGenerator<Difference> {
  yield* lostItems(comparison);
  yield* newerItems(comparison);
}

/** Describes a difference, for example `missing: USER#alice WALLET#eth#0x…`. */
function lineOf({ what, item }: Difference): string {
  const { PK, SK } = keyOf(item);
  return `${what}: ${harmless(`${PK} ${SK}`)}`;
}

const keptLines = (kept: ReadonlyMap<KeptReason, number>): string[] =>
  [...kept].map(([why, count]) => `not restored: ${count} ${keptReasons[why]}`);

async function report({ stdout }: AdminDeps, comparison: Comparison): Promise<void> {
  const tally = { missing: 0, changed: 0, newer: 0 };
  const kept = new Map<KeptReason, number>();
  for await (const difference of differences(comparison)) {
    if (difference.what === "kept") kept.set(difference.why, (kept.get(difference.why) ?? 0) + 1);
    else tally[difference.what]++;
    print(stdout, lineOf(difference));
  }
  for (const line of keptLines(kept)) print(stdout, line);
  print(stdout, `missing: ${tally.missing}\nchanged: ${tally.changed}\nnewer: ${tally.newer}`);
}

/**
 * Prints which items will not be restored and why, and asks whether to continue. Nothing is written before the answer.
 *
 * @throws {OperatorError} if the answer is no, or so many items would be deleted that this is probably the wrong table.
 */
async function announceWork(
  { stdout, confirm }: AdminDeps,
  comparison: Comparison,
  { isExact, isSure }: { isExact: boolean; isSure: boolean },
): Promise<void> {
  let deletions = 0;
  const kept = new Map<KeptReason, number>();
  for await (const each of isExact ? differences(comparison) : lostItems(comparison)) {
    if (each.what === "newer") deletions++;
    if (each.what === "kept") kept.set(each.why, (kept.get(each.why) ?? 0) + 1);
  }
  for (const line of keptLines(kept)) print(stdout, line);
  if (isSure) return;
  if (deletions > maxDeletions)
    throw new OperatorError(
      `Nothing was restored: ${deletions} items would be deleted; look at them with --check, then add --yes`,
    );
  if (kept.size > 0 && !(await confirm("Restore everything else?")))
    throw new OperatorError("Nothing was restored");
}

/** Restores items one by one. Continues after a failure, and stops between two items when interrupted. */
async function undoAll(deps: AdminDeps, comparison: Comparison, exact: boolean): Promise<void> {
  const tally = { missing: 0, changed: 0, newer: 0, failed: 0 };
  const voided = await voidResting(comparison.table, comparison.now, comparison.userID);
  if (voided > 0) print(deps.stdout, `ended: ${voided} resting orders`);
  const signal = deps.interruption();
  const found = exact ? differences(comparison) : lostItems(comparison);
  await forEachConcurrently(found, { concurrency, signal }, async (difference) => {
    if (difference.what === "kept" || (!exact && difference.what === "changed")) return;
    try {
      if (await undo(comparison, difference)) tally[difference.what]++;
    } catch (error) {
      tally.failed++;
      print(deps.stderr, `${lineOf(difference)}: ${reasonOf(error)}`);
    }
  });
  const { missing, changed, newer, failed } = tally;
  print(deps.stdout, `put back: ${missing}\nchanged back: ${changed}\ndeleted: ${newer}\nfailed: ${failed}`);
  if (signal.aborted || failed > 0)
    throw new OperatorError(
      `${signal.aborted ? "Stopped" : "Incomplete"}; run the same command again to continue`,
    );
}
