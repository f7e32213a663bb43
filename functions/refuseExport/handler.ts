import { DomainError } from "../../lib/core/domain-error.ts";
import { refusal } from "../../lib/runtime/rest.ts";

export const handler = refusal(
  "refuseExport",
  () => new DomainError("EXPORT_DISABLED", "Exports of wallets are switched off"),
);
