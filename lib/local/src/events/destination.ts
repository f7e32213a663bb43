import * as v from "valibot";
import { notEmulated, type Resource } from "../cloudformation/resource.ts";
import type { Queues } from "./queues.ts";

/** A DestinationConfig that may name the destination for failures: its ARN. */
export const onFailure = v.optional(
  v.pipe(
    v.strictObject({ OnFailure: v.optional(v.strictObject({ Destination: v.string() })) }),
    v.transform(({ OnFailure }) => OnFailure?.Destination),
  ),
);

/**
 * @param property where the resource names the queue
 * @throws StartupError when it names something that is not a queue of the stacks
 */
export function requireQueue(
  queues: Pick<Queues, "has">,
  arn: string | undefined,
  resource: Resource,
  property: string,
): void {
  if (arn !== undefined && !queues.has(arn))
    throw notEmulated(resource, `${property}: ${arn} is not a queue of the stacks`);
}
