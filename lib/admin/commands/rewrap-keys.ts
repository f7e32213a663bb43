import type { Command } from "commander";
import type { Admin } from "../admin.ts";
import { integer } from "../arguments.ts";
import { currentKeyMaterial } from "../current-key-material.ts";
import { OperatorError } from "../operator-error.ts";
import { print } from "../output.ts";
import { startProgress } from "../progress.ts";
import { type Result, type RewrapOptions, rewrapWallets } from "../rewrap-wallets.ts";
import { countWallets, type WalletCounts } from "../stored-wallet.ts";
import type { Target, TargetOptions } from "../target.ts";
import { targeted } from "../targeted.ts";

type Tally = Record<Result["outcome"], number>;
type Options = TargetOptions & { concurrency: number; dryRun?: true };

export function rewrapKeys(program: Command, admin: Admin): void {
  targeted(
    program
      .command("rewrap-keys")
      .description(
        "After a rotation of the KMS key: have KMS wrap the wallets' data keys under its newest key material. " +
          "No private key is opened. It can be stopped and run again at any time; a rerun does what is left.",
      )
      .option("--concurrency <number>", "how many wallets at a time", integer(1, 100), 8)
      .option("--dry-run", "only count the wallets"),
  ).action(async ({ concurrency, dryRun, ...options }: Options) => {
    const target = await admin.openTarget(options);
    const currentMaterialId = await currentKeyMaterial(target.vault);
    const { current, old } = await countWallets(target.table, currentMaterialId);
    if (dryRun) {
      print(admin.stdout, `to re-wrap: ${old}\nalready new: ${current}`);
    } else if (old === 0) {
      print(admin.stdout, summary({ rewrapped: 0, current, failed: 0 }));
    } else {
      const signal = admin.interruption();
      await rewrapAll(admin, target, { current, old }, { currentMaterialId, concurrency, signal });
    }
  });
}

async function rewrapAll(
  admin: Admin,
  target: Target,
  { current, old }: WalletCounts,
  options: Omit<RewrapOptions, "report">,
): Promise<void> {
  const tally: Tally = { rewrapped: 0, current: 0, failed: 0 };
  const failures: string[] = [];
  const progress = startProgress(admin.stderr, "re-wrapping", current + old);
  try {
    await rewrapWallets(target, {
      ...options,
      report(result) {
        tally[result.outcome]++;
        if (result.outcome === "failed") failures.push(`wallet ${result.walletID}: ${result.reason}`);
        progress.step();
      },
    });
  } finally {
    progress.stop();
    for (const failure of failures) print(admin.stderr, failure);
    print(admin.stdout, summary(tally));
  }
  const left = options.signal.aborted ? old - tally.rewrapped : tally.failed;
  if (left <= 0) return;
  const reason = options.signal.aborted ? "Stopped" : "Not all was done";
  throw new OperatorError(`${reason}; wallets left: ${left}; run the same command again to go on`);
}

function summary({ rewrapped, current, failed }: Tally): string {
  return `re-wrapped: ${rewrapped}\nalready new: ${current}\nfailed: ${failed}`;
}
