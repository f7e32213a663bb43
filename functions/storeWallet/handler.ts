import { openTable } from "../../lib/aws/table.ts";
import { bindingOf, openVault, seal } from "../../lib/aws/vault.ts";
import { readPrivateKey } from "../../lib/domain/private-key.ts";
import { newWallet } from "../../lib/domain/wallet.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest } from "../../lib/runtime/rest.ts";
import { addWallet } from "../../lib/wallets/add-wallet.ts";

const table = openTable(environment("TABLE_NAME"));
const vault = openVault(environment("KEY_ID"));
const limits = environment("WALLET_LIMITS");

export const handler = rest("storeWallet", async ({ userID, now, body: { network, privateKey } }) => {
  using key = await readPrivateKey(network, privateKey);
  const wallet = newWallet("imported", { userID, network, address: key.address, now });
  await addWallet(table, {
    wallet,
    seal: () => seal(vault, key.secret, bindingOf(wallet)),
    limits,
    now,
  });
  return { message: "Wallet stored successfully" };
});
