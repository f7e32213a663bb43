import * as schemas from "../../lib/api/wallet-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { reporter } from "../../lib/runtime/log.ts";
import { rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { listed } from "../../lib/wallets/wallet.ts";
import { walletsOfUser } from "../../lib/wallets/wallet-records.ts";

const table = openTable(environment("TABLE_NAME"));
const { onFault } = reporter("listWallets");

export const handler = rest("listWallets", schemas.listWallets, async ({ userID }) =>
  listed(await walletsOfUser(table, userID, onFault)),
);
