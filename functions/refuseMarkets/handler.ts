import { DomainError } from "../../lib/core/domain-error.ts";
import { refusal } from "../../lib/runtime/rest.ts";

export const handler = refusal(
  "refuseMarkets",
  () => new DomainError("MARKETS_DISABLED", "Markets of tokens are switched off"),
);
