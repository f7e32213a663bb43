import * as v from "valibot";
import { notEmulated, readProperties, resolved } from "../cloudformation/resource.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { nameIn } from "./lambda.ts";

/** Limits of Lambda's retries for asynchronous events. */
export type InvokeConfig = { maximumRetries: number; maximumAgeMs: number };

/** Lambda's defaults. */
const defaults: InvokeConfig = { maximumRetries: 2, maximumAgeMs: 6 * 3600_000 };

const between = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const EventInvokeConfig = v.strictObject({
  FunctionName: v.string(),
  Qualifier: v.literal("$LATEST"),
  MaximumRetryAttempts: v.optional(between(0, 2), defaults.maximumRetries),
  MaximumEventAgeInSeconds: v.optional(between(60, 21_600), defaults.maximumAgeMs / 1000),
});

/**
 * Reads the configurations in the stacks. Functions without one have Lambda's defaults.
 *
 * @returns a lookup by function name
 * @throws {StartupError} if a property is not emulated or the function is missing; the message names the resource
 */
export function readInvokeConfigs(
  resources: Resources,
  hasFunction: (nameOrArn: string) => boolean,
): (functionName: string) => InvokeConfig {
  const configs = new Map(
    resources.ofType("AWS::Lambda::EventInvokeConfig").map((resource) => {
      const { FunctionName, MaximumRetryAttempts, MaximumEventAgeInSeconds } = readProperties(
        EventInvokeConfig,
        resolved(resource),
      );
      if (!hasFunction(FunctionName)) {
        throw notEmulated(resource, `FunctionName: there is no function ${FunctionName}`);
      }
      const config = { maximumRetries: MaximumRetryAttempts, maximumAgeMs: MaximumEventAgeInSeconds * 1000 };
      return [nameIn(FunctionName), config] as const;
    }),
  );
  return (functionName) => configs.get(functionName) ?? defaults;
}
