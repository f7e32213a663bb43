import { randomBytes } from "node:crypto";
import type { PendingKey } from "../aws/user-key-records.ts";
import type { Plan } from "../domain/plan.ts";

/** A key that is to be made. Its value is 40 hexadecimal digits: API Gateway takes 20 to 128 letters and digits. */
export const newKey = (userID: string, plan: Plan): PendingKey => ({
  name: `${userID}/${randomBytes(6).toString("hex")}`,
  value: randomBytes(20).toString("hex"),
  plan,
});

/** Whose a key is, or a customer's plan, by its name. */
export const ownerOf = (name: string): string => name.slice(0, name.lastIndexOf("/"));
