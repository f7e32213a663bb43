import { readProfile } from "../aws/profile-records.ts";
import type { Table } from "../aws/table.ts";
import type { Profile } from "../domain/profile.ts";
import { OperatorError } from "./operator-error.ts";

/** @throws {OperatorError} when there is no such user. */
export async function existingProfile(table: Table, userID: string): Promise<Profile> {
  const profile = await readProfile(table, userID);
  if (profile === undefined) {
    throw new OperatorError(`There is no user ${userID}; users come into being when they first sign in`);
  }
  return profile;
}
