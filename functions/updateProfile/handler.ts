import * as schemas from "../../lib/api/user-operations.ts";
import { updateProfile } from "../../lib/rewards/update-profile.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("updateProfile", schemas.updateProfile, async ({ userID, now, body: changes }) =>
  enveloped({ profile: await updateProfile(table, { userID, changes, now }) }),
);
