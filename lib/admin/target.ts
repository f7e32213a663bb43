import type { Table } from "../aws/table.ts";
import type { Vault } from "../aws/vault.ts";
import { openLocal } from "./local-target.ts";
import { openStack } from "./stack-target.ts";

/** Which running service is meant; the command line takes care that it is exactly one. */
export type TargetOptions = {
  /** The port of base_url of a local runner. */
  local?: number | undefined;
  /** The name of a deployed data stack. */
  stack?: string | undefined;
};

/** What the commands work on. */
export type Target = { table: Table; vault: Vault };

/** @throws {OperatorError} when there is no such service. */
export async function openTarget({ local, stack }: TargetOptions): Promise<Target> {
  if (local !== undefined) return openLocal(local);
  if (stack !== undefined) return openStack(stack);
  throw new TypeError("No target was named");
}
