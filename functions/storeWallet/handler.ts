import * as schemas from "../../lib/api/wallet-operations.ts";
import { openVault } from "../../lib/aws/vault.ts";
import { readPrivateKey } from "../../lib/chains/families/key.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { addPrivateKey } from "../../lib/wallets/add-private-key.ts";

const deps = {
  table: openTable(environment("TABLE_NAME")),
  vault: openVault(environment("KEY_ID")),
  limits: environment("WALLET_LIMITS"),
};

export const handler = rest(
  "storeWallet",
  schemas.storeWallet,
  async ({ userID, now, body: { network, privateKey } }) => {
    using key = await readPrivateKey(network, privateKey);
    await addPrivateKey(deps, key, { walletType: "imported", userID, network, now });
    return { message: "Wallet stored successfully" };
  },
);
