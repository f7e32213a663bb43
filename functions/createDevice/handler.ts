import * as schemas from "../../lib/api/device-operations.ts";
import { requireFreshSignIn } from "../../lib/core/sign-in.ts";
import { createDevice } from "../../lib/devices/change-devices.ts";
import { deviceRules } from "../../lib/runtime/device-rules.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const deps = { table: openTable(environment("TABLE_NAME")), ...deviceRules() };

export const handler = rest(
  "createDevice",
  schemas.createDevice,
  async ({ userID, signedInAt, now, body: given }) => {
    requireFreshSignIn(signedInAt, now);
    return enveloped({ device: await createDevice(deps, { userID, given, now }) });
  },
);
