import * as v from "valibot";
import { StartupError } from "../startup-error.ts";

/** A resource of a stack. Properties are resolved lazily, each once. */
export type Resource = {
  stackName: string;
  logicalId: string;
  type: string;
  property(name: string): unknown;
  properties(): Record<string, unknown>;
};

/**
 * A resource whose intrinsics have become plain values. A `Ref` to a resource of API Gateway is its logical id
 * (of a stage: its StageName), `GetAtt <RestApi>.RootResourceId` is `<logical id of the API>/root`.
 */
export type ResolvedResource = { logicalId: string; type: string; properties: Record<string, unknown> };

export function resolved({ logicalId, type, properties }: Resource): ResolvedResource {
  return { logicalId, type, properties: properties() };
}

/** Only the properties that a schema names. The others may refer to what is not emulated, or back to the resource. */
export function namedProperties(
  { property }: Resource,
  { entries }: { entries: object },
): Record<string, unknown> {
  return Object.fromEntries(Object.keys(entries).map((name) => [name, property(name)]));
}

/**
 * The properties of a resource, checked against what is emulated.
 * @throws StartupError that names the resource and the first property that is not emulated
 */
export function readProperties<Schema extends v.GenericSchema>(
  schema: Schema,
  resource: ResolvedResource,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, resource.properties);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const isUnknownKey = issue.expected === "never";
  throw notEmulated(
    resource,
    `${v.getDotPath(issue) ?? "properties"}${isUnknownKey ? "" : `: ${issue.message}`}`,
  );
}

/** The error for something in a template that would otherwise be ignored silently. */
export function notEmulated(
  { logicalId, type }: Pick<ResolvedResource, "logicalId" | "type">,
  what: string,
): StartupError {
  return new StartupError(`${logicalId} (${type}) has something that is not emulated: ${what}`);
}

/** Reads a part of a resource, and adds the resource's name to any error. */
export function reading<Result>(
  resource: Pick<ResolvedResource, "logicalId" | "type">,
  read: () => Result,
): Result {
  try {
    return read();
  } catch (error) {
    throw notEmulated(resource, error instanceof Error ? error.message : String(error));
  }
}
