import { openTable } from "../../lib/aws/table.ts";
import { walletsOfUser } from "../../lib/aws/wallet-records.ts";
import { listed } from "../../lib/domain/wallet.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest } from "../../lib/runtime/rest.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listWalletsV2", async ({ userID, now }) => ({
  success: true,
  data: { wallets: listed(await walletsOfUser(table, userID)) },
  timestamp: now.toISOString(),
}));
