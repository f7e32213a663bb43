import * as v from "valibot";
import { StartupError } from "../startup-error.ts";

/** A resource of a stack. Each property is resolved once, on first use. */
export type Resource = {
  stackName: string;
  logicalId: string;
  type: string;
  property: (name: string) => unknown;
  properties: () => Record<string, unknown>;
  /** True if CloudFormation creates it after another resource of its stack. */
  comesAfter(logicalId: string): boolean;
};

/**
 * A resource whose intrinsics are replaced by plain values. A `Ref` to a resource of API Gateway gives its logical id
 * (for a stage, its StageName), and `GetAtt <RestApi>.RootResourceId` gives `<logical id of the API>/root`.
 */
export type ResolvedResource = { logicalId: string; type: string; properties: Record<string, unknown> };

export function resolved({ logicalId, type, properties }: Resource): ResolvedResource {
  return { logicalId, type, properties: properties() };
}

/**
 * Reads only the properties named by a schema. Other properties may refer to resources that are not emulated, or back
 * to this one.
 */
export function namedProperties(
  { property }: Resource,
  { entries }: { entries: object },
): Record<string, unknown> {
  return Object.fromEntries(Object.keys(entries).map((name) => [name, property(name)]));
}

/**
 * Reads the properties of a resource and checks that all of them are emulated.
 * @throws {StartupError} if one is not; the message names the resource and the property
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

/** Makes the error for a part of a template that would otherwise be ignored silently. */
export function notEmulated(
  { logicalId, type }: Pick<ResolvedResource, "logicalId" | "type">,
  part: string,
): StartupError {
  return new StartupError(`${logicalId} (${type}) has something that is not emulated: ${part}`);
}

/** Makes the error for a part of a template that works here, but that AWS would not deploy. */
export function notDeployable(
  { logicalId, type }: Pick<ResolvedResource, "logicalId" | "type">,
  reason: string,
): StartupError {
  return new StartupError(`AWS would refuse ${logicalId} (${type}): ${reason}`);
}

/** Reads a part of a resource and adds the resource's name to any error. */
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
