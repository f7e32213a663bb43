import { type Command, Option } from "commander";
import { forEachConcurrently } from "../../../core/concurrency.ts";
import { keysOnPlan, keysWithPrefix } from "../../../plans/api-keys.ts";
import { customerPlans } from "../../../plans/customer-plans.ts";
import { type Drift, driftIn, type PlanState } from "../../../plans/drift.ts";
import { readFallbackKeys } from "../../../plans/fallback-key-records.ts";
import { everyUserKeyRecord } from "../../../plans/item-keys.ts";
import { repair } from "../../../plans/repair.ts";
import type { KeyUser } from "../../../plans/user-key.ts";
import { retiredKeys, type UserKeyRecord } from "../../../plans/user-key-records.ts";
import { everyProfile } from "../../../users/item-keys.ts";
import { OperatorError, reasonOf } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { scan } from "../scan.ts";
import { type AdminDeps, type PlanTarget, type PlanTargetOptions, planStack } from "../target.ts";
import { harmless, print, startProgress } from "../terminal.ts";

type Options = PlanTargetOptions & { check?: true; fix?: true; yes?: true };

/** Maximum number of keys and plans that --fix deletes without --yes. */
const maxDeletions = 20;

export function syncPlans(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("sync-plans")
      .description(
        "Compare users' tiers with their keys and plans in API Gateway, which normally follow within seconds. " +
          "Reads the whole table. Give exactly one of --check and --fix.",
      )
      .addOption(
        new Option("--check", "only list the differences; exit with 1 if there are any").conflicts("fix"),
      )
      .option("--fix", "repair the differences; may be stopped and run again at any time")
      .option("--yes", `with --fix: allow more than ${maxDeletions} deletions of unused keys and plans`)
      .addOption(
        new Option("--api-stack <name>", "with --stack: the name of the deployed API stack")
          .default(planStack.example)
          .conflicts("local"),
      ),
  ).action(async ({ check, fix, yes, ...options }: Options, command: Command) => {
    if (!check && !fix) command.error("error: one of --check and --fix is required");
    const target = await deps.openPlans(options);
    const drifts = driftIn(await readPlanState(target), target, deps.now());
    if (fix) {
      if (!yes) refuseManyDeletions(drifts);
      await repairAll(deps, target, drifts);
    } else report(deps, drifts);
  });
}

/**
 * Reads all plans and keys. Reads API Gateway before the table: a name is recorded before its key or plan is created,
 * so the records include everything found in API Gateway.
 */
async function readPlanState({ table, plans, tierPlans }: PlanTarget): Promise<PlanState> {
  const keys = await indexed(keysWithPrefix(plans), ({ id }) => id);
  const own = await indexed(customerPlans(plans), ({ id }) => id);
  const attachments = new Map<string, string>();
  for (const planId of [...Object.values(tierPlans), ...own.keys()])
    for await (const { id } of keysOnPlan(plans, planId)) attachments.set(id, planId);
  const decisive = [
    "userID",
    "tier",
    "requestsPerMinute",
    "walletCount",
    "createdAt",
    "lastVisited",
  ] as const;
  const profiles = await indexed(scan<KeyUser>(table, everyProfile, decisive), ({ userID }) => userID);
  const record = ["userID", "version", "current", "next"] as const;
  const keyRecords = await indexed(
    scan<UserKeyRecord>(table, everyUserKeyRecord, record),
    ({ userID }) => userID,
  );
  const retired = await indexed(retiredKeys(table), ({ name }) => name);
  const isFull = (await readFallbackKeys(table))?.isFull ?? false;
  return {
    keys,
    customerPlans: own,
    attachments,
    profiles,
    keyRecords,
    isFull,
    retired: new Set(retired.keys()),
  };
}

async function indexed<Element>(
  elements: AsyncIterable<Element>,
  keyOf: (element: Element) => string,
): Promise<Map<string, Element>> {
  const map = new Map<string, Element>();
  for await (const element of elements) map.set(keyOf(element), element);
  return map;
}

function report({ stdout }: AdminDeps, drifts: readonly Drift[]): void {
  for (const drift of drifts) print(stdout, driftLine(drift));
  print(stdout, `differences: ${drifts.length}`);
  if (drifts.length === 0) return;
  throw new OperatorError("There are differences, maybe from changes in progress; --fix repairs them");
}

const meanings: Record<Drift["what"], string> = {
  "orphan key": "is in API Gateway, but not on record",
  "orphan plan": "is in API Gateway, but not on record",
  "left record": "has a key on record, but there is no such user",
  "not mirrored": "has no key for the plan of the user's tier",
  "lost key": "is on record, but not in API Gateway",
  "detached key": "is not on its plan",
  "untagged key": "has no tag, so functions may not delete it",
  "untagged plan": "has no tag, so functions may not change it",
  "stale plan": "has the wrong throttles or stages",
};

/** Describes a difference, for example `alice: key 1a2b3c is not on its plan`. */
function driftLine(drift: Drift): string {
  const thing = "id" in drift ? `${drift.what.split(" ")[1]} ${drift.id} ` : "";
  return `${harmless(drift.userID)}: ${thing}${meanings[drift.what]}`;
}

/** Refuses to delete very many keys. If that many seem unused, the table is probably the wrong one. */
function refuseManyDeletions(drifts: readonly Drift[]): void {
  const { length } = drifts.filter(({ what }) => deletions.has(what));
  if (length > maxDeletions)
    throw new OperatorError(
      `Nothing was repaired: ${length} keys and plans would be deleted; look at them with --check, then add --yes`,
    );
}

/** Differences that can only be repaired by deleting a key or a plan. */
const deletions = new Set<Drift["what"]>(["orphan key", "orphan plan", "left record"]);

/**
 * Repairs differences one by one, because the control plane accepts few calls per second. Continues after a failure,
 * and stops between two repairs when interrupted.
 */
async function repairAll(deps: AdminDeps, target: PlanTarget, drifts: readonly Drift[]): Promise<void> {
  const tally = { repaired: 0, failed: 0 };
  if (drifts.length > 0) {
    const signal = deps.interruption();
    const lines: string[] = [];
    const progress = startProgress(deps.stderr, "repairing", drifts.length);
    await forEachConcurrently(drifts, { concurrency: 1, signal }, async (drift) => {
      try {
        await repair({ ...target, now: deps.now }, drift);
        tally.repaired++;
        lines.push(`${driftLine(drift)}: repaired`);
      } catch (error) {
        tally.failed++;
        lines.push(`${driftLine(drift)}: failed, ${reasonOf(error)}`);
      }
      progress.step();
    });
    progress.stop();
    for (const line of lines) print(deps.stdout, line);
  }
  print(deps.stdout, `repaired: ${tally.repaired}\nfailed: ${tally.failed}`);
  const left = drifts.length - tally.repaired;
  if (left === 0) return;
  const state = tally.repaired + tally.failed < drifts.length ? "Stopped" : "Incomplete";
  throw new OperatorError(`${state}; differences left: ${left}; run the same command again to continue`);
}
