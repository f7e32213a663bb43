import { StartupError } from "cdk-local-runner";
import type { TradingConfiguration } from "../../../chains/families/configuration.ts";
import { tradingFor } from "../../hosts/trading-for.ts";
import type { Context } from "../../runner/run-program.ts";
import { openLocal } from "../local-target.ts";
import { OperatorError } from "../operator-error.ts";
import { openStack } from "../stack-target.ts";
import type { StatusOptions, StatusTarget } from "../target.ts";
import { readAwsState } from "./aws-state.ts";
import { readLocalState } from "./local-state.ts";

/** @throws {OperatorError} if the service does not exist, or the context is invalid. */
export async function openStatus(options: StatusOptions): Promise<StatusTarget> {
  const { local, stack, apiStack, watchStack, context } = options;
  if (local !== undefined) {
    const { table } = await openLocal(local);
    return {
      name: `The service on port ${local}`,
      table,
      hasSteadyBlocks: false,
      trading: await chainsOf({ local, context }),
      readDeployment: () => readLocalState(local),
    };
  }
  const { table } = await openStack(stack);
  return {
    name: stack,
    table,
    hasSteadyBlocks: true,
    trading: await chainsOf({ context }),
    readDeployment: (now) => readAwsState(stack, apiStack, watchStack, now),
  };
}

async function chainsOf(chosen: { local?: number; context: Context }): Promise<TradingConfiguration> {
  try {
    return await tradingFor({ ...chosen, mayBeEmpty: true });
  } catch (error) {
    if (error instanceof StartupError) throw new OperatorError(error.message);
    throw error;
  }
}
