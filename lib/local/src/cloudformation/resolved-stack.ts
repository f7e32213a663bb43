import { StartupError } from "../startup-error.ts";
import type { Stack, TemplateOutput } from "./assembly.ts";
import { resolveCondition } from "./conditions.ts";
import { resolve, type Scope } from "./intrinsics.ts";
import { once } from "./once.ts";
import { pseudoParameters } from "./pseudo-parameters.ts";
import type { Resource, ResourceType, ResourceTypes } from "./resource-type.ts";

/** One stack. Nothing is resolved before it is asked for, so the order of things in a template does not count. */
export type ResolvedStack = {
  resources: Resource[];
  /** Output by its name in the template. */
  outputs: ReadonlyMap<string, () => unknown>;
  /** Output by the name under which other stacks import it. */
  exports(): ReadonlyMap<unknown, () => unknown>;
};

/** @throws StartupError when a resource is of a type that is not among `types` */
export function resolveStack(
  { name: stackName, template }: Stack,
  types: ResourceTypes,
  imported: Scope["imported"],
): ResolvedStack {
  const scope: Scope = { ref, attribute, imported, condition };
  const value = once((path: string, expression: unknown) => resolve(expression, scope, path));
  const truth = once((path: string, expression: unknown) => resolveCondition(expression, scope, path));

  const resources = new Map<string, Resource>();
  for (const [logicalId, { Type: type, Properties = {}, Condition }] of Object.entries(template.Resources)) {
    if (Condition !== undefined && !condition(Condition)) continue;
    const property = (name: string) =>
      value(`${stackName}.Resources.${logicalId}.Properties.${name}`, Properties[name]);
    const properties = () =>
      Object.fromEntries(Object.keys(Properties).map((name) => [name, property(name)]));
    const resource = { stackName, logicalId, type, property, properties };
    typeOf(resource);
    resources.set(logicalId, resource);
  }

  const outputs = new Map<string, () => unknown>();
  const exported: [name: () => unknown, output: () => unknown][] = [];
  for (const [name, output] of Object.entries<TemplateOutput>(template.Outputs)) {
    if (output.Condition !== undefined && !condition(output.Condition)) continue;
    const path = `${stackName}.Outputs.${name}`;
    const read = () => value(`${path}.Value`, output.Value);
    outputs.set(name, read);
    if (output.Export) exported.push([() => value(`${path}.Export.Name`, output.Export?.Name), read]);
  }

  return {
    resources: [...resources.values()],
    outputs,
    exports: () => new Map(exported.map(([name, read]) => [name(), read])),
  };

  function ref(name: string): unknown {
    if (Object.hasOwn(pseudoParameters, name)) return pseudoParameters[name]?.(stackName);
    if (Object.hasOwn(template.Parameters, name)) {
      return template.Parameters[name]?.Default ?? fail(`the parameter ${name} has no default`);
    }
    const resource = find(name);
    return typeOf(resource).ref(resource);
  }

  function attribute(logicalId: string, name: string): unknown {
    const resource = find(logicalId);
    return (
      typeOf(resource).attributes?.[name]?.(resource) ??
      fail(`the attribute ${name} of ${resource.type} (${logicalId}) is not emulated`)
    );
  }

  function condition(name: string): boolean {
    if (!Object.hasOwn(template.Conditions, name)) fail(`there is no condition ${name}`);
    return truth(`${stackName}.Conditions.${name}`, template.Conditions[name]);
  }

  function find(logicalId: string): Resource {
    return resources.get(logicalId) ?? fail(`there is no ${logicalId} to refer to`);
  }

  function typeOf({ type, logicalId }: Resource): ResourceType {
    const known = Object.hasOwn(types, type) ? types[type] : undefined;
    return known ?? fail(`${type} (${logicalId}) is not emulated`);
  }

  function fail(why: string): never {
    throw new StartupError(`${stackName}: ${why}`);
  }
}
