import { jupiterFor } from "../chains/sol/venues/jupiter-client.ts";
import type { OperationName } from "../operations/operations.ts";
import { logJupiter, logWarning } from "./log.ts";

/** Opens Jupiter for a function, whose log shows faults one by one and counts of answers once a minute. */
export const openJupiter = (operation: OperationName) =>
  jupiterFor(
    (fault) => logWarning(operation, fault),
    (answers) => logJupiter(operation, answers),
  );
