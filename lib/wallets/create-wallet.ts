import type { Network } from "../core/network.ts";
import { type AddingDeps, addPrivateKey } from "./add-private-key.ts";
import { generateKey } from "./keys/generate-key.ts";
import { requestKeyOf } from "./request-key.ts";
import type { Wallet, WalletLabels } from "./wallet.ts";

export type CreationDeps = AddingDeps & { makeKey?: typeof generateKey };

type Creation = {
  userID: string;
  now: Date;
  /** Value of the Idempotency-Key header. */
  key: string | undefined;
  body: WalletLabels & { network: Network };
};

/**
 * Creates a wallet with a new private key, once for each user and Idempotency-Key.
 *
 * @throws {DomainError} IDEMPOTENCY_KEY_MISSING, and the errors of {@link addPrivateKey}.
 */
export async function createWallet(
  { makeKey = generateKey, ...deps }: CreationDeps,
  { userID, now, key, body }: Creation,
): Promise<{ wallet: Wallet; isReplayed: boolean }> {
  const requestKey = requestKeyOf({ userID, operation: "createWallet", key }, body);
  using privateKey = await makeKey(body.network);
  // Awaits the result, because the private key is wiped at the end of this function.
  return await addPrivateKey(deps, privateKey, {
    walletType: "generated",
    userID,
    network: body.network,
    labels: body,
    now,
    requestKey,
  });
}
