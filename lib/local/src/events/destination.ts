import * as v from "valibot";
import type { Resource } from "../cloudformation/resource-type.ts";
import { refusal } from "../cloudformation/resources/read-strictly.ts";
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
    throw refusal(resource, property, `${arn} is not a queue of the stacks`);
}
