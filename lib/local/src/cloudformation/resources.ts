import { createHash } from "node:crypto";
import { account, arn } from "../account.ts";
import { StartupError } from "../startup-error.ts";
import type { Stack, Template, TemplateOutput } from "./assembly.ts";
import { replaceReferences, secretsIn } from "./dynamic-references.ts";
import { importsIn, referencesIn, resolve, resolveCondition, type Scope } from "./intrinsics.ts";
import type { Resource } from "./resource.ts";
import { type ResourceType, type ResourceTypes, secretArn } from "./resource-types.ts";

/** A value of another stack that CloudFormation reads again whenever it updates a stack. */
export type Use = { stack: string; name: string; value: unknown };

/** The resources and outputs of all stacks. */
export type Resources = {
  all: readonly Resource[];
  ofType: (type: string) => Resource[];
  /** Resolves all outputs, by name. */
  outputs(): Record<string, unknown>;
  /** Names of the stacks, without nested ones. */
  stacks: readonly string[];
  /** Exports and secrets that stacks use from each other. */
  uses: () => Use[];
  /** Values of all exports and secrets, by the name in a {@link Use}. */
  offers: () => ReadonlyMap<string, unknown>;
};

/** Resolves the part of a dynamic reference that follows `secretsmanager:`. */
type ReadSecret = (reference: string) => string;

const noSecrets: ReadSecret = (reference) => {
  throw new StartupError(`There is no secret ${reference}`);
};

/**
 * Resolves stacks, which may refer to each other's outputs.
 * @throws {StartupError} if a resource has a type that is not among `types`
 */
export function resolveStacks(
  stacks: readonly Stack[],
  types: ResourceTypes,
  readSecret = noSecrets,
): Resources {
  const resolved: ResolvedStack[] = stacks.map((stack) =>
    resolveStack(stack, types, readSecret, {
      imported(name) {
        const read = resolved.map((other) => other.exports().get(name)).find((each) => each !== undefined);
        if (read === undefined) throw new StartupError(`${stack.name}: no stack exports ${name}`);
        return read();
      },
      output(stackName, name) {
        const read = resolved[stacks.findIndex((other) => other.name === stackName)]?.outputs.get(name);
        if (read === undefined) throw new StartupError(`${stack.name}: ${stackName} has no output ${name}`);
        return read();
      },
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
    stacks: stacks.map(({ name }) => name),
    uses: () =>
      resolved.flatMap((stack, at) => {
        const own = new Set(secretsOf(stack));
        const names = [
          ...stack.imports().map(exportName),
          ...stack
            .references()
            .filter((arn) => !own.has(arn))
            .map(secretName),
        ];
        const offered = offers();
        return [...new Set(names)].map((name) => ({
          stack: stacks[at]?.name ?? "",
          name,
          value: offered.get(name),
        }));
      }),
    offers,
  };

  function offers() {
    return new Map(
      resolved.flatMap((stack) => [
        ...[...stack.exports()].map(([name, read]) => [exportName(name), read()] as const),
        ...secretsOf(stack).map((arn) => [secretName(arn), arn] as const),
      ]),
    );
  }
}

const exportName = (name: unknown) => `the export ${name}`;
const secretName = (arn: string) => `the secret ${arn}`;
const secretsOf = ({ resources }: ResolvedStack) =>
  resources.filter(({ type }) => type === "AWS::SecretsManager::Secret").map(secretArn);

/** A stack whose parts are resolved on first use, so their order in the template does not matter. */
type ResolvedStack = {
  /** Resources of the stack and its nested stacks. */
  resources: Resource[];
  /** Outputs by name in the template. */
  outputs: ReadonlyMap<string, () => unknown>;
  /** Outputs by the names under which other stacks import them, including those of nested stacks. */
  exports(): ReadonlyMap<unknown, () => unknown>;
  /** Names of exports that the stack and its nested stacks import. */
  imports(): unknown[];
  /** ARNs of secrets in dynamic references of the stack and its nested stacks. */
  references(): string[];
};

const nestedType = "AWS::CloudFormation::Stack";

/**
 * Resolves a stack.
 * @param parameters resolves the parameters of a nested stack
 */
function resolveStack(
  { name: stackName, template, templateAt }: Stack,
  types: ResourceTypes,
  readSecret: ReadSecret,
  others: Pick<Scope, "imported" | "output">,
  parameters: Readonly<Record<string, () => unknown>> = {},
): ResolvedStack {
  const scope: Scope = { ref, attribute, ...others, condition };
  const value = once((path: string, expression: unknown) => resolve(expression, scope, path));
  // Resolves dynamic references only in resources, like CloudFormation, so that outputs show no secrets.
  const withSecrets = once((path: string, expression: unknown) =>
    replaceReferences(value(path, expression), readSecret),
  );
  const truth = once((path: string, expression: unknown) => resolveCondition(expression, scope, path));

  const resources = new Map<string, Resource>();
  const nested = new Map<string, ResolvedStack>();
  const outputs = new Map<string, () => unknown>();
  const exported: [name: () => unknown, output: () => unknown][] = [];
  for (const [logicalId, resource] of Object.entries(template.Resources))
    if (exists(resource)) addResource(logicalId, resource);
  for (const [name, output] of Object.entries<TemplateOutput>(template.Outputs))
    if (exists(output)) addOutput(name, output);

  return {
    resources: [...resources.values(), ...[...nested.values()].flatMap((stack) => stack.resources)],
    outputs,
    exports: () =>
      new Map([
        ...exported.map(([name, read]) => [name(), read] as const),
        ...[...nested.values()].flatMap((stack) => [...stack.exports()]),
      ]),
    imports: () => [
      ...importsIn(template).map((name) => value(`${stackName}.${JSON.stringify(name)}`, name)),
      ...[...nested.values()].flatMap((stack) => stack.imports()),
    ],
    references: () => [
      ...propertiesWithSecrets(template).flatMap(([path, expression]) =>
        secretsIn(value(`${stackName}.${path}`, expression)),
      ),
      ...[...nested.values()].flatMap((stack) => stack.references()),
    ],
  };

  function exists({ Condition }: { Condition?: string | undefined }): boolean {
    return Condition === undefined || condition(Condition);
  }

  function addResource(
    logicalId: string,
    { Type: type, Properties = {} }: Template["Resources"][string],
  ): void {
    if (type === nestedType) {
      nested.set(logicalId, nest(logicalId, Properties));
      return;
    }
    const property = (name: string) =>
      withSecrets(`${stackName}.Resources.${logicalId}.Properties.${name}`, Properties[name]);
    const properties = () =>
      Object.fromEntries(Object.keys(Properties).map((name) => [name, property(name)]));
    const comesAfter = (other: string) => isAfter(template, logicalId, other);
    const resource = { stackName, logicalId, type, property, properties, comesAfter };
    typeOf(resource);
    resources.set(logicalId, resource);
  }

  function addOutput(name: string, output: TemplateOutput): void {
    const path = `${stackName}.Outputs.${name}`;
    const read = () => value(`${path}.Value`, output.Value);
    outputs.set(name, read);
    if (output.Export) exported.push([() => value(`${path}.Export.Name`, output.Export?.Name), read]);
  }

  /** Generates a nested stack's name. AWS adds a random part, but here it is the same in every run. */
  function nest(logicalId: string, properties: Record<string, unknown>): ResolvedStack {
    const path = `${stackName}.Resources.${logicalId}.Properties`;
    const url = String(value(`${path}.TemplateURL`, properties.TemplateURL));
    const nestedTemplate = templateAt?.(url.slice(url.lastIndexOf("/") + 1));
    if (nestedTemplate === undefined) fail(`there is no template of the nested stack ${logicalId}`);
    const given = Object.entries((properties.Parameters ?? {}) as Record<string, unknown>).map(
      ([name, expression]) => [name, () => withSecrets(`${path}.Parameters.${name}`, expression)] as const,
    );
    return resolveStack(
      { name: `${stackName}-${logicalId}`, template: nestedTemplate, templateAt },
      types,
      readSecret,
      others,
      Object.fromEntries(given),
    );
  }

  function ref(name: string): unknown {
    if (Object.hasOwn(pseudoParameters, name)) return pseudoParameters[name]?.(stackName);
    if (Object.hasOwn(parameters, name)) return parameters[name]?.();
    if (Object.hasOwn(template.Parameters, name)) {
      return template.Parameters[name]?.Default ?? fail(`the parameter ${name} has no default`);
    }
    const resource = find(name);
    return typeOf(resource).ref(resource);
  }

  function attribute(logicalId: string, name: string): unknown {
    const inside = nested.get(logicalId);
    if (inside !== undefined) {
      const read = inside.outputs.get(name.replace(/^Outputs\./, ""));
      return read === undefined ? fail(`the nested stack ${logicalId} has no ${name}`) : read();
    }
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
    return resources.get(logicalId) ?? fail(`there is no resource ${logicalId}`);
  }

  function typeOf({ type, logicalId }: Resource): ResourceType {
    const known = Object.hasOwn(types, type) ? types[type] : undefined;
    return known ?? fail(`${type} (${logicalId}) is not emulated`);
  }

  function fail(reason: string): never {
    throw new StartupError(`${stackName}: ${reason}`);
  }
}

/** Follows DependsOn and references from resource to resource. */
function isAfter(template: Template, logicalId: string, other: string, seen = new Set<string>()): boolean {
  const { DependsOn = [], Properties } = template.Resources[logicalId] ?? {};
  const next = [DependsOn, ...referencesIn(Properties)].flat().filter((id) => !seen.has(id));
  for (const id of next) seen.add(id);
  return next.includes(other) || next.some((id) => isAfter(template, id, other, seen));
}

/** Lists the properties with dynamic references to secrets, with their paths. */
const propertiesWithSecrets = ({ Resources }: Template): [path: string, expression: unknown][] =>
  Object.entries(Resources).flatMap(([logicalId, { Properties = {} }]) =>
    Object.entries(Properties)
      .filter(([, expression]) => JSON.stringify(expression).includes("{{resolve:secretsmanager:"))
      .map(([name, expression]): [string, unknown] => [
        `Resources.${logicalId}.Properties.${name}`,
        expression,
      ]),
  );

/**
 * Computes the value of each path once.
 * @throws {StartupError} if a path depends on itself; the message shows the cycle
 */
function once<Argument, Value>(compute: (path: string, argument: Argument) => Value) {
  const known = new Map<string, Value>();
  const inProgress = new Set<string>();

  return (path: string, argument: Argument): Value => {
    if (known.has(path)) return known.get(path) as Value;
    if (inProgress.has(path)) {
      const cycle = [...inProgress, path].slice([...inProgress].indexOf(path));
      throw new StartupError(`Circular reference: ${cycle.join(" -> ")}`);
    }
    inProgress.add(path);
    try {
      const value = compute(path, argument);
      known.set(path, value);
      return value;
    } finally {
      inProgress.delete(path);
    }
  };
}

/** Values of `Ref` for the names that CloudFormation itself defines. */
const pseudoParameters: Readonly<Record<string, (stackName: string) => unknown>> = {
  "AWS::AccountId": () => account.id,
  "AWS::NoValue": () => undefined,
  "AWS::NotificationARNs": () => [],
  "AWS::Partition": () => account.partition,
  "AWS::Region": () => account.region,
  "AWS::StackId": (stackName) => arn("cloudformation", `stack/${stackName}/${guidOf(stackName)}`),
  "AWS::StackName": (stackName) => stackName,
  "AWS::URLSuffix": () => account.urlSuffix,
};

/** Looks like the random part of a stack's id, but is the same in every run. */
const guidOf = (stackName: string) =>
  createHash("sha256")
    .update(stackName)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
