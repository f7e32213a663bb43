import * as schemas from "../../lib/api/wallet-operations.ts";
import { openVault } from "../../lib/aws/vault.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { maybeReplayed, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { importSealedWallet } from "../../lib/wallets/import-sealed-wallet.ts";
import { importKeysOf } from "../../lib/wallets/keys/import-keys.ts";
import { shownWallet } from "../../lib/wallets/wallet.ts";

const vault = openVault(environment("KEY_ID"));
const deps = {
  table: openTable(environment("TABLE_NAME")),
  vault,
  // Shares one KMS connection between all KMS keys.
  importKeys: importKeysOf(vault.client, environment("IMPORT_KEYS")),
  limits: environment("WALLET_LIMITS"),
};

export const handler = rest("importWallet", schemas.importWallet, async ({ userID, now, headers, body }) => {
  const sealed = { userID, now, key: headers["Idempotency-Key"], body };
  const { wallet, isReplayed } = await importSealedWallet(deps, sealed);
  return maybeReplayed({ wallet: shownWallet(wallet) }, isReplayed);
});
