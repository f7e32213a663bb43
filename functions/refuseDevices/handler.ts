import { DomainError } from "../../lib/core/domain-error.ts";
import { refusal } from "../../lib/runtime/rest.ts";

export const handler = refusal(
  "refuseDevices",
  () => new DomainError("DEVICES_DISABLED", "Devices are switched off"),
);
