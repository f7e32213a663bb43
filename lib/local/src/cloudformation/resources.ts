import { StartupError } from "../startup-error.ts";
import type { Stack } from "./assembly.ts";
import { type ResolvedStack, resolveStack } from "./resolved-stack.ts";
import type { Resource, ResourceTypes } from "./resource-type.ts";

/** The resources of all stacks, and what the stacks put out. */
export type Resources = {
  all: readonly Resource[];
  ofType(type: string): Resource[];
  /** Values by the name of the output. */
  outputs(): Record<string, unknown>;
};

/**
 * Resolves stacks, which may import from each other.
 * @throws StartupError when a resource is of a type that is not among `types`
 */
export function resolveStacks(stacks: readonly Stack[], types: ResourceTypes): Resources {
  const resolved: ResolvedStack[] = stacks.map((stack) =>
    resolveStack(stack, types, (name) => {
      const read = resolved.map((other) => other.exports().get(name)).find((each) => each !== undefined);
      if (read === undefined) throw new StartupError(`${stack.name}: no stack exports ${name}`);
      return read();
    }),
  );
  const all = resolved.flatMap(({ resources }) => resources);
  return {
    all,
    ofType: (type) => all.filter((resource) => resource.type === type),
    outputs: () =>
      Object.fromEntries(
        resolved.flatMap(({ outputs }) => [...outputs].map(([name, read]) => [name, read()] as const)),
      ),
  };
}
