import * as schemas from "../../lib/api/wallet-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openImportKeys } from "../../lib/wallets/keys/import-keys.ts";
import { listImportKeys } from "../../lib/wallets/keys/list-import-keys.ts";

const importKeys = openImportKeys(environment("IMPORT_KEYS"));

export const handler = rest("listImportKeys", schemas.listImportKeys, async () =>
  enveloped({ keys: await listImportKeys(importKeys) }),
);
