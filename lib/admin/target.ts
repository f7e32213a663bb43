import type { LambdaClient } from "@aws-sdk/client-lambda";
import type { Table } from "../aws/table.ts";
import type { Vault } from "../aws/vault.ts";
import { openLocal, openLocalFunctions, openLocalPlans } from "./local-target.ts";
import type { PlanTarget } from "./plan-target.ts";
import { openStack, openStackFunctions, openStackPlans } from "./stack-target.ts";

/** Which running service is meant; the command line takes care that it is exactly one. */
export type TargetOptions = {
  /** The port of base_url of a local runner. */
  local?: number | undefined;
  /** The name of a deployed stack: of which kind, the command says. */
  stack?: string | undefined;
};

/** The same for users' plans: with the data stack goes an API stack. */
export type PlanTargetOptions = TargetOptions & { apiStack: string };

/** What most commands work on. */
export type Target = { table: Table; vault: Vault };

/** What commands work through that have the service itself do the work: its functions, by name. */
export type Functions = { lambda: LambdaClient; recordExecutions: string };

/** @throws {OperatorError} when there is no such service. */
export async function openTarget({ local, stack }: TargetOptions): Promise<Target> {
  if (local !== undefined) return openLocal(local);
  if (stack !== undefined) return openStack(stack);
  throw new TypeError("No target was named");
}

/** @throws {OperatorError} when there is no such service. */
export async function openFunctions({ local, stack }: TargetOptions): Promise<Functions> {
  if (local !== undefined) return openLocalFunctions(local);
  if (stack !== undefined) return openStackFunctions(stack);
  throw new TypeError("No target was named");
}

/** @throws {OperatorError} when there is no such service. */
export async function openPlans({ local, stack, apiStack }: PlanTargetOptions): Promise<PlanTarget> {
  if (local !== undefined) return openLocalPlans(local);
  if (stack !== undefined) return openStackPlans(stack, apiStack);
  throw new TypeError("No target was named");
}
