import { StartupError } from "cdk-local-runner";

/** Ends the process: with a plain message for what its user can mend, else with all that is known. */
export function fail(error: unknown): never {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}
