import * as schemas from "../../lib/api/wallet-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { listEvents } from "../../lib/wallets/list-events.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest(
  "listWalletEvents",
  schemas.listWalletEvents,
  async ({ userID, path: { walletId }, query }) =>
    enveloped(await listEvents(table, { userID, walletId }, query)),
);
