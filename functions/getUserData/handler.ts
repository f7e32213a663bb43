import * as schemas from "../../lib/api/user-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { profileData, referralData } from "../../lib/users/profile.ts";
import { readProfileWithReferrals, readProfileWithSettings } from "../../lib/users/profile-records.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("getUserData", schemas.getUserData, async ({ userID, now, query }) => {
  if (query.type === "ref") {
    const { profile, referrals } = await readProfileWithReferrals(table, userID);
    return referralData(profile, referrals);
  }
  const { profile, settings } = await readProfileWithSettings(table, userID);
  return profileData(profile, settings, now);
});
