import { DomainError } from "../../lib/core/domain-error.ts";
import { refusal } from "../../lib/runtime/rest.ts";

export const handler = refusal(
  "refuseTrading",
  () => new DomainError("TRADING_DISABLED", "Trading is switched off"),
);
