import * as schemas from "../../lib/api/device-operations.ts";
import { listDevices } from "../../lib/devices/change-devices.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listDevices", schemas.listDevices, async ({ userID, now }) =>
  enveloped(await listDevices(table, { userID, now })),
);
