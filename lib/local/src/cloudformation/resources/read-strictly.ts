import type * as v from "valibot";
import { StartupError } from "../../startup-error.ts";
import { notEmulated, readProperties } from "../resolved-resource.ts";
import type { Resource } from "../resource-type.ts";

/**
 * The properties of a resource, checked against what is emulated.
 * @throws StartupError that names the resource and the first property that is not understood
 */
export function readStrictly<Schema extends v.GenericSchema>(
  schema: Schema,
  resource: Resource,
): v.InferOutput<Schema> {
  const { logicalId, type } = resource;
  const properties = resource.properties();
  try {
    return readProperties(schema, { logicalId, type, properties });
  } catch (error) {
    throw new StartupError((error as Error).message);
  }
}

/** The error for a property that is well formed, and still not something that the runner can do. */
export function refusal(resource: Resource, property: string, why: string): StartupError {
  return new StartupError(notEmulated(resource, `${property}: ${why}`).message);
}
