import { isSameAddress } from "../chains/families/address.ts";
import { privateKeyOf } from "../chains/families/key.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import type { PrivateKey } from "../core/private-key.ts";
import { type AddingDeps, addPrivateKey } from "./add-private-key.ts";
import { replayOf } from "./add-wallet.ts";
import { NotForThisKey, openMessage } from "./keys/hpke.ts";
import { type ImportKey, type ImportKeys, isOutOfUse } from "./keys/import-keys.ts";
import { importInfo, isPoint } from "./keys/sealing.ts";
import { requestKeyOf } from "./request-key.ts";
import type { Wallet, WalletLabels } from "./wallet.ts";

export type SealedImportDeps = AddingDeps & { importKeys: ImportKeys };

/** Body of a request. `enc` and `ciphertext` are base64url. */
export type SealedBody = WalletLabels & {
  network: Network;
  keyId: string;
  enc: string;
  ciphertext: string;
  expectedAddress?: string | undefined;
};

type SealedImport = {
  userID: string;
  now: Date;
  /** Value of the Idempotency-Key header, which is also additional data of the sealed private key. */
  key: string | undefined;
  body: SealedBody;
};

/**
 * Imports a wallet whose private key is sealed to one of the import keys, once for each user and Idempotency-Key.
 *
 * @throws {DomainError} IDEMPOTENCY_KEY_MISSING, UNKNOWN_IMPORT_KEY, INVALID_CIPHERTEXT, INVALID_PRIVATE_KEY,
 * ADDRESS_MISMATCH, and the errors of {@link addPrivateKey}.
 */
export async function importSealedWallet(
  { importKeys, ...deps }: SealedImportDeps,
  { userID, now, key, body }: SealedImport,
): Promise<{ wallet: Wallet; isReplayed: boolean }> {
  const requestKey = requestKeyOf({ userID, operation: "importWallet", key }, body);
  // First replays a repeated request, which works even if the import key is out of use by now.
  const replayed = await replayOf(deps.table, requestKey, now);
  if (replayed) return { wallet: replayed, isReplayed: true };

  const { network, expectedAddress } = body;
  const importKey = (await importKeys()).find(({ keyId }) => keyId === body.keyId);
  if (importKey === undefined) throw unknownKey();
  using privateKey = await opened(importKey, { userID, key: requestKey.key, body });
  if (expectedAddress !== undefined && !isSameAddress(network, expectedAddress, privateKey.address))
    throw new DomainError("ADDRESS_MISMATCH", "The private key belongs to another address");

  // Awaits the result, because the private key is wiped at the end of this function.
  return await addPrivateKey(deps, privateKey, {
    walletType: "imported",
    userID,
    network,
    labels: body,
    now,
    requestKey,
  });
}

/** @throws {DomainError} also if the key was sealed for another user, network, import key or Idempotency-Key. */
async function opened(
  importKey: ImportKey,
  { userID, key, body }: { userID: string; key: string; body: SealedBody },
): Promise<PrivateKey> {
  const { network } = body;
  const [enc, ciphertext] = [body.enc, body.ciphertext].map((text) => Buffer.from(text, "base64url"));
  if (enc === undefined || ciphertext === undefined || !isPoint(enc)) throw invalidCiphertext();
  try {
    const info = importInfo({ network, keyId: importKey.keyId, userID });
    const plaintext = await openMessage(importKey, { enc, ciphertext, info, aad: Buffer.from(key) });
    return await privateKeyOf(network, plaintext);
  } catch (error) {
    if (error instanceof NotForThisKey) throw invalidCiphertext();
    throw isOutOfUse(error) ? unknownKey() : error;
  }
}

const unknownKey = () =>
  new DomainError("UNKNOWN_IMPORT_KEY", "keyId is not the id of a key that is accepted now");

const invalidCiphertext = () =>
  new DomainError(
    "INVALID_CIPHERTEXT",
    "The ciphertext does not open for this user, network, keyId and Idempotency-Key",
  );
