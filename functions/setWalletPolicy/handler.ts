import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { changePolicy } from "../../lib/wallets/change-policy.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("setWalletPolicy", async ({ userID, now, path: { walletId }, body: asked }) =>
  enveloped(await changePolicy(table, { userID, walletId, now, asked })),
);
