import type { Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import { readOwnProfile } from "../users/profile-records.ts";
import { listedChange } from "./standing-records.ts";

/** What users may change of their profile. A public name of null takes the user off the leaderboards. */
export type OwnChanges = { publicName?: string | null | undefined; viewedMessage?: boolean | undefined };

/** Changes a user's own fields of the profile, and the user's standings with them. Absent fields stay unchanged. */
export async function updateProfile(
  table: Table,
  { userID, changes, now }: { userID: string; changes: OwnChanges; now: Date },
): Promise<{ publicName: string | null; viewedMessage: boolean }> {
  return untilWritten(async () => {
    const profile = await readOwnProfile(table, userID);
    const { publicName = profile.publicName ?? null, viewedMessage = profile.viewedMessage } = changes;
    const wanted = { publicName: publicName ?? undefined, viewedMessage };
    if (wanted.publicName === profile.publicName && viewedMessage === profile.viewedMessage)
      return { publicName, viewedMessage };
    const isWritten = await writeOnce(table, listedChange(profile, wanted, now));
    return isWritten ? { publicName, viewedMessage } : undefined;
  });
}
