import type { SealedKey } from "../aws/vault.ts";
import { DomainError } from "../core/domain-error.ts";
import type { WalletLimits } from "../core/tier.ts";
import type { Write } from "../table/step.ts";
import type { Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import { readOwnProfile } from "../users/profile-records.ts";
import { restoration } from "./restore-wallet.ts";
import {
  readUsedWalletKey,
  type UsedWalletKey,
  useOfWalletKey,
  type WalletKeyName,
} from "./used-wallet-keys.ts";
import {
  checkWalletLimit,
  isActive,
  isGone,
  keptNamed,
  labelsOf,
  type NewWallet,
  type Wallet,
} from "./wallet.ts";
import { eventWrite } from "./wallet-events.ts";
import { insertion, placeChange, readWallet, walletsOfUser } from "./wallet-records.ts";

/** Idempotency key of a request, with the fingerprint of its body. */
export type RequestKey = WalletKeyName & Pick<UsedWalletKey, "fingerprint">;

type Addition = {
  /** Wallet to store if the user has no wallet with its address. */
  wallet: NewWallet;
  /** Encrypts the private key. Called at most once, and only if the user may have another wallet. */
  seal: () => Promise<SealedKey>;
  limits: WalletLimits;
  now: Date;
  /** Idempotency key of a request that may be repeated. Adding the wallet uses up the key; a refusal does not. */
  requestKey?: RequestKey;
};

/**
 * Result of adding a wallet. `held`: the user already had the wallet. `replayed`: an earlier request with the same key
 * added it.
 */
type Outcome = "added" | "held" | "restored" | "replayed";

/**
 * Adds a wallet to its user's wallets. Adding an address again succeeds and changes nothing, even if the limit is
 * reached. A retired wallet is restored with its stored private key, and with the new name and colour, if given.
 *
 * @throws {DomainError} WALLET_LIMIT_REACHED, IDEMPOTENCY_KEY_REUSED, or WALLET_NOT_FOUND if the wallet that the key
 * added has been removed.
 */
export async function addWallet(
  table: Table,
  { wallet, seal, limits, now, requestKey }: Addition,
): Promise<{ outcome: Outcome; wallet: Wallet }> {
  let sealed: SealedKey | undefined;
  return untilWritten(async () => {
    const [replayed, stored, profile] = await Promise.all([
      requestKey && replayOf(table, requestKey, now),
      readWallet(table, wallet),
      readOwnProfile(table, wallet.UserID),
    ]);
    if (replayed) return { outcome: "replayed", wallet: replayed };
    const held = stored !== undefined && !isGone(stored, now) ? stored : undefined;
    const use = (of: Wallet) => (requestKey ? [keyUse(requestKey, of)] : []);

    if (held !== undefined && isActive(held)) {
      // Tries again if another request has just used the key. The next attempt replays that request.
      const isNoted = requestKey === undefined || (await writeOnce(table, use(held)));
      return isNoted ? { outcome: "held", wallet: held } : undefined;
    }
    // Checks the wallet again, because the count may be newer than the other data: a concurrent request for the same
    // wallet may have taken the last place.
    if (profile.walletCount >= limits[profile.tier] && (await isKnownNow(stored))) return undefined;
    checkWalletLimit(profile.tier, profile.walletCount, limits);
    if (held !== undefined) {
      const { wallet: restored, writes } = restoration(held, profile, now, labelsOf(wallet));
      const isWritten = await writeOnce(table, [...writes, ...use(held)]);
      return isWritten ? { outcome: "restored", wallet: restored } : undefined;
    }
    sealed ??= await seal();
    const added = { ...wallet, slot: profile.lastSlot + 1, version: 1 };
    const isWritten = await writeOnce(table, [
      ...insertion(added, sealed, now),
      placeChange(wallet.UserID, profile, { by: 1, lastSlot: added.slot }),
      eventWrite({
        userID: wallet.UserID,
        walletId: wallet._id,
        type: wallet.walletType === "generated" ? "created" : "imported",
        now,
      }),
      ...use(added),
    ]);
    return isWritten ? { outcome: "added", wallet: added } : undefined;
  });

  async function isKnownNow(before: Wallet | undefined): Promise<boolean> {
    const [used, stored] = await Promise.all([
      requestKey && readUsedWalletKey(table, requestKey),
      readWallet(table, wallet),
    ]);
    return used !== undefined || stored?.version !== before?.version || stored?._id !== before?._id;
  }
}

/**
 * Returns the current state of the wallet that an earlier request with this key has added, even if the wallet is
 * retired.
 *
 * @returns undefined if the key is unused.
 * @throws {DomainError}
 */
export async function replayOf(table: Table, requestKey: RequestKey, now: Date): Promise<Wallet | undefined> {
  const used = await readUsedWalletKey(table, requestKey);
  if (used === undefined) return undefined;
  const { walletId, fingerprint } = used;
  if (fingerprint !== requestKey.fingerprint)
    throw new DomainError("IDEMPOTENCY_KEY_REUSED", "Idempotency-Key was used with another body", {
      walletId,
    });
  return keptNamed(await walletsOfUser(table, requestKey.userID), walletId, now);
}

const keyUse = ({ fingerprint, ...name }: RequestKey, { _id: walletId }: Wallet): Write =>
  useOfWalletKey(name, { walletId, fingerprint });
