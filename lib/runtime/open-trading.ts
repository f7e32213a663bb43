import { openChains } from "../chains/families/open-chains.ts";
import { reportUnits } from "../chains/hosts/spent-units.ts";
import type { OpenJupiter } from "../chains/sol/venues/jupiter-client.ts";
import type { OperationName } from "../operations/operations.ts";
import { environment } from "./environment.ts";
import { openHostKeys } from "./host-keys.ts";
import { logHostUnits, logWarning } from "./log.ts";

/** Opens the keys of hosts, and lets the log show the units that calls to hosts spend. */
function keyedFor(operation: OperationName) {
  reportUnits((units) => logHostUnits(operation, units));
  return openHostKeys(environment("HOST_KEYS"), (fault) => logWarning(operation, fault));
}

/**
 * Opens the chains that trade, with the configuration in a function's environment.
 *
 * @param openJupiter Omitted by functions that never ask Jupiter, so that they do not load its code.
 */
export const openTrading = (operation: OperationName, openJupiter?: OpenJupiter) =>
  openChains(environment("TRADING"), openJupiter, keyedFor(operation));
