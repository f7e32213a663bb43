import type { EnvName } from "../operation-types.ts";

/** A variable of a function's environment: configuration, or what a grant brings. */
export type Variable = EnvName | "TABLE_NAME" | "KEY_ID" | "DELIVER_FUNCTION";

/** Reads at load what the stack has set. @throws {Error} when the stack has not. */
export function environment(name: Variable): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`The environment variable ${name} is not set`);
  return value;
}
