import { openImportKeys } from "../../lib/aws/import-keys.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { listImportKeys } from "../../lib/wallets/list-import-keys.ts";

const importKeys = openImportKeys(environment("IMPORT_KEYS"));

export const handler = rest("listImportKeys", async () =>
  enveloped({ keys: await listImportKeys(importKeys) }),
);
