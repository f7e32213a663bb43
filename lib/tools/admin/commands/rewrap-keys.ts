import { DescribeKeyCommand } from "@aws-sdk/client-kms";
import type { Command } from "commander";
import type { Binding } from "../../../aws/container.ts";
import { rewrap, type SealedKey, type Vault } from "../../../aws/vault.ts";
import { forEachConcurrently } from "../../../core/concurrency.ts";
import type { Key } from "../../../table/keys.ts";
import { retry } from "../../../table/retry.ts";
import { readItem, type Table } from "../../../table/table.ts";
import { everySealedKey } from "../../../table/wallet-keys.ts";
import { write } from "../../../table/write.ts";
import { OperatorError, reasonOf } from "../operator-error.ts";
import { integer, targeted } from "../options.ts";
import { scan } from "../scan.ts";
import type { AdminDeps, Target, TargetOptions } from "../target.ts";
import { print, startProgress } from "../terminal.ts";

type Options = TargetOptions & { concurrency: number; dryRun?: true };

export function rewrapKeys(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("rewrap-keys")
      .description(
        "After a rotation of the KMS key: have KMS wrap the wallets' data keys under the newest key material. " +
          "No private key is decrypted. The command may be stopped at any time; run it again to continue.",
      )
      .option("--concurrency <number>", "how many wallets to process at a time", integer(1, 100), 8)
      .option("--dry-run", "only count the wallets"),
  ).action(async ({ concurrency, dryRun, ...options }: Options) => {
    const target = await deps.openTarget(options);
    const currentMaterialId = await readCurrentMaterialId(target.vault);
    const { current, old } = await countWallets(target.table, currentMaterialId);
    if (dryRun) {
      print(deps.stdout, `to re-wrap: ${old}\nalready new: ${current}`);
    } else if (old === 0) {
      print(deps.stdout, summary({ rewrapped: 0, current, failed: 0 }));
    } else {
      const signal = deps.interruption();
      await rewrapAll(deps, target, { current, old }, { currentMaterialId, concurrency, signal });
    }
  });
}

/** Reads the id of the KMS key's current key material, which changes with each rotation. */
async function readCurrentMaterialId({ keyId, client }: Vault): Promise<string> {
  const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: keyId }));
  const id = KeyMetadata?.CurrentKeyMaterialId;
  if (id === undefined) throw new OperatorError("KMS names no current key material for the key");
  return id;
}

/** `current` means that the wallet already has the newest key material, or has been deleted in the meantime. */
type Outcome = "rewrapped" | "current";

type Result = { walletId: string } & ({ outcome: Outcome } | { outcome: "failed"; reason: string });

type Tally = Record<Result["outcome"], number>;

type RewrapOptions = {
  currentMaterialId: string;
  concurrency: number;
  /** Stops before the next wallet when aborted. */
  signal: AbortSignal;
};

async function rewrapAll(
  deps: AdminDeps,
  target: Target,
  { current, old }: WalletCounts,
  options: RewrapOptions,
): Promise<void> {
  const tally: Tally = { rewrapped: 0, current: 0, failed: 0 };
  const failures: string[] = [];
  const progress = startProgress(deps.stderr, "re-wrapping", current + old);
  try {
    await rewrapWallets(target, options, (result) => {
      tally[result.outcome]++;
      if (result.outcome === "failed") failures.push(`wallet ${result.walletId}: ${result.reason}`);
      progress.step();
    });
  } finally {
    progress.stop();
    for (const failure of failures) print(deps.stderr, failure);
    print(deps.stdout, summary(tally));
  }
  const left = options.signal.aborted ? old - tally.rewrapped : tally.failed;
  if (left <= 0) return;
  const state = options.signal.aborted ? "Stopped" : "Incomplete";
  throw new OperatorError(`${state}; wallets left: ${left}; run the same command again to continue`);
}

function summary({ rewrapped, current, failed }: Tally): string {
  return `re-wrapped: ${rewrapped}\nalready new: ${current}\nfailed: ${failed}`;
}

/** Wraps the data keys of all wallets with the newest key material. Continues after a failure. */
async function rewrapWallets(
  target: Target,
  options: RewrapOptions,
  onResult: (result: Result) => void,
): Promise<void> {
  await forEachConcurrently(everyStoredKey(target.table), options, async (stored) => {
    const { walletId } = stored;
    try {
      onResult({ walletId, outcome: await rewrapKey(target, stored, options.currentMaterialId) });
    } catch (error) {
      onResult({ walletId, outcome: "failed", reason: reasonOf(error) });
    }
  });
}

const attempts = 3;

/** @throws {Error} if KMS or the table fails, or the encrypted key changed during each attempt. */
async function rewrapKey(
  { table, vault }: Target,
  read: StoredKey,
  currentMaterialId: string,
): Promise<Outcome> {
  let stored: StoredKey | undefined = read;
  const outcome = await retry(
    async () => {
      if (stored === undefined || stored.keyMaterialId === currentMaterialId) return "current";
      const sealed = await rewrap(vault, stored.encryptedPrivateKey, bindingIn(stored));
      if (await replaceKey(table, stored, sealed)) return "rewrapped";
      stored = await readStoredKey(table, stored);
      return undefined;
    },
    { attempts },
  );
  if (outcome === undefined) throw new Error("its encrypted key kept changing");
  return outcome;
}

export type StoredKey = Key & Binding & SealedKey;

function everyStoredKey(table: Table): AsyncGenerator<StoredKey> {
  return scan<StoredKey>(table, everySealedKey, [
    ...(["PK", "SK", "userID", "walletId", "network", "address"] as const),
    ...(["encryptedPrivateKey", "keyMaterialId"] as const),
  ]);
}

export const bindingIn = ({ userID, walletId, network, address }: StoredKey): Binding => ({
  userID,
  walletId,
  network,
  address,
});

/** Counts wallets whose data keys are wrapped with the newest key material, and all others. */
type WalletCounts = { current: number; old: number };

async function countWallets(table: Table, currentMaterialId: string): Promise<WalletCounts> {
  const counts = { current: 0, old: 0 };
  for await (const stored of scan<StoredKey>(table, everySealedKey, ["keyMaterialId"])) {
    counts[stored.keyMaterialId === currentMaterialId ? "current" : "old"]++;
  }
  return counts;
}

/** Reads a wallet's encrypted key. Returns undefined if the wallet has been deleted. */
export async function readStoredKey(table: Table, { PK, SK }: Key): Promise<StoredKey | undefined> {
  return readItem<StoredKey>(table, { PK, SK });
}

/** Replaces an encrypted key. Returns false, without writing, if the key has changed since it was read. */
export async function replaceKey(table: Table, stored: StoredKey, sealed: SealedKey): Promise<boolean> {
  const { encryptedPrivateKey, keyMaterialId } = sealed;
  return write(table, {
    kind: "change",
    key: { PK: stored.PK, SK: stored.SK },
    set: { encryptedPrivateKey, keyMaterialId },
    when: { encryptedPrivateKey: stored.encryptedPrivateKey },
  });
}
