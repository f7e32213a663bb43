import * as schemas from "../../lib/api/wallet-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { reporter } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { listWallets } from "../../lib/wallets/list-wallets.ts";

const table = openTable(environment("TABLE_NAME"));
const { onFault } = reporter("listWalletsV2");

export const handler = rest("listWalletsV2", schemas.listWalletsV2, async ({ userID, query }) =>
  enveloped(await listWallets(table, userID, query, onFault)),
);
