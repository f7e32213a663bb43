import { isDeepStrictEqual } from "node:util";
import { StartupError } from "../startup-error.ts";
import type { Store } from "../storage/store.ts";
import type { Resources, Use } from "./resources.ts";

const NAME = "stacks";

/**
 * Compares the stacks with those of the previous run. CloudFormation updates one stack after another, so a stack not
 * yet updated still uses the other one's old values.
 *
 * @throws {StartupError} if a stack has lost or replaced anything that another stack used in the previous run
 */
export function checkUpdates({ uses, offers, stacks }: Resources, store: Store): void {
  const before = store.load<Use[]>(NAME) ?? [];
  const now = uses();
  const offered = offers();
  const lost = before.find(
    ({ stack, name, value }) => stacks.includes(stack) && !isDeepStrictEqual(offered.get(name), value),
  );
  if (lost !== undefined) {
    throw new StartupError(
      `AWS would refuse this update: ${lost.stack} still uses ${lost.name}, which is replaced or removed. Take two steps, or start with an empty data directory.`,
    );
  }
  if (!isDeepStrictEqual(now, before)) store.save(NAME, now);
}
