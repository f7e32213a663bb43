import * as schemas from "../../lib/api/device-operations.ts";
import { deleteDevice } from "../../lib/devices/change-devices.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("deleteDevice", schemas.deleteDevice, async ({ userID, path, now }) =>
  enveloped({ device: await deleteDevice(table, { userID, ...path }, now) }),
);
