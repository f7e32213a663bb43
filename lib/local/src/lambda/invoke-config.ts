import * as v from "valibot";
import { notEmulated, readProperties, resolved } from "../cloudformation/resource.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { onFailure, requireQueue } from "../events/destination.ts";
import type { Queues } from "../events/queues.ts";
import { nameIn } from "./lambda.ts";

/** What becomes of events that nobody waits for. */
export type InvokeConfig = {
  maximumRetries: number;
  /** Milliseconds. Older events are given up. */
  maximumAge: number;
  /** ARN of the queue that is told of events that were given up. */
  onFailure: string | undefined;
};

const defaults: InvokeConfig = { maximumRetries: 2, maximumAge: 6 * 3600_000, onFailure: undefined };

const between = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const EventInvokeConfig = v.strictObject({
  FunctionName: v.string(),
  Qualifier: v.literal("$LATEST"),
  MaximumRetryAttempts: v.optional(between(0, 2)),
  MaximumEventAgeInSeconds: v.optional(between(60, 21_600)),
  DestinationConfig: onFailure,
});

/**
 * What the stacks say of events that nobody waits for, or else what Lambda does by itself.
 *
 * @returns by the name of a function
 * @throws StartupError that names the resource and what of it is not emulated, or is not there
 */
export function readInvokeConfigs(
  resources: Resources,
  hasFunction: (nameOrArn: string) => boolean,
  queues: Pick<Queues, "has">,
): (functionName: string) => InvokeConfig {
  const configs = new Map(
    resources.ofType("AWS::Lambda::EventInvokeConfig").map((resource) => {
      const stated = readProperties(EventInvokeConfig, resolved(resource));
      if (!hasFunction(stated.FunctionName)) {
        throw notEmulated(resource, `FunctionName: there is no function ${stated.FunctionName}`);
      }
      requireQueue(queues, stated.DestinationConfig, resource, "DestinationConfig.OnFailure.Destination");
      const seconds = stated.MaximumEventAgeInSeconds;
      const config: InvokeConfig = {
        maximumRetries: stated.MaximumRetryAttempts ?? defaults.maximumRetries,
        maximumAge: seconds === undefined ? defaults.maximumAge : seconds * 1000,
        onFailure: stated.DestinationConfig,
      };
      return [nameIn(stated.FunctionName), config] as const;
    }),
  );
  return (functionName) => configs.get(functionName) ?? defaults;
}
