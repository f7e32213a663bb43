import * as v from "valibot";

/**
 * A resource of a synthesized template whose intrinsics have become plain values: a `Ref` to a resource of API Gateway
 * is its logical id (of a stage its StageName), `GetAtt <RestApi>.RootResourceId` is `<logical id of the API>/root`.
 */
export type ResolvedResource = { logicalId: string; type: string; properties: Record<string, unknown> };

/**
 * The properties of a resource, checked against what is emulated.
 *
 * @throws Error that names the resource and the first property that is not understood
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

/** The error for something in a template that would be passed over in silence otherwise. */
export function notEmulated(
  { logicalId, type }: Pick<ResolvedResource, "logicalId" | "type">,
  what: string,
): Error {
  return new Error(`${logicalId} (${type}) has something that is not emulated: ${what}`);
}

/** Runs a reader of a part of a resource, so that its error names the resource. */
export function reading<Result>(resource: ResolvedResource, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw notEmulated(resource, error instanceof Error ? error.message : String(error));
  }
}
