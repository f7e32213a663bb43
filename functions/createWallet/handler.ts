import * as schemas from "../../lib/api/wallet-operations.ts";
import { openVault } from "../../lib/aws/vault.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { maybeReplayed, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { createWallet } from "../../lib/wallets/create-wallet.ts";
import { shownWallet } from "../../lib/wallets/wallet.ts";

const table = openTable(environment("TABLE_NAME"));
const vault = openVault(environment("KEY_ID"));
const limits = environment("WALLET_LIMITS");

export const handler = rest("createWallet", schemas.createWallet, async ({ userID, now, headers, body }) => {
  const creation = { userID, now, key: headers["Idempotency-Key"], body };
  const { wallet, isReplayed } = await createWallet({ table, vault, limits }, creation);
  return maybeReplayed({ wallet: shownWallet(wallet) }, isReplayed);
});
