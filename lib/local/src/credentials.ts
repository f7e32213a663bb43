import { randomBytes } from "node:crypto";
import type { Credentials } from "./endpoints.ts";
import type { Store } from "./storage/store.ts";

/** The one pair of credentials of the local account. Made at random, since it keeps strangers out of the local services. */
export function localCredentials(store: Store): Credentials {
  const known = store.load<Credentials>("credentials");
  if (known !== undefined) return known;
  const made = {
    accessKeyId: randomBytes(16).toString("hex"),
    secretAccessKey: randomBytes(20).toString("hex"),
  };
  store.save("credentials", made);
  return made;
}
