import * as v from "valibot";
import { badRequest } from "./control-plane-error.ts";

export const patchOperations = v.optional(
  v.array(v.strictObject({ op: v.string(), path: v.string(), value: v.optional(v.string(), "") })),
  [],
);

type PatchOperations = v.InferOutput<typeof patchOperations>;

/** A change that an operation may ask for. */
export type PatchRule<Target> = {
  ops: readonly ("add" | "remove" | "replace")[];
  /** The path as API Gateway's messages write it; a part in angle brackets stands for a text. */
  path: string;
  /** @param parts what the parts in angle brackets are, their slashes no longer escaped */
  apply(target: Target, value: string, ...parts: string[]): Target;
};

/** @throws ControlPlaneError BadRequestException for an operation that no rule allows */
export function patched<Target>(
  target: Target,
  operations: PatchOperations,
  rules: readonly PatchRule<Target>[],
): Target {
  return operations.reduce((current, { op, path, value }) => {
    const allowed = rules.filter(({ ops }) => ops.some((each) => each === op));
    for (const rule of allowed) {
      const found = pattern(rule.path).exec(path);
      if (found) return rule.apply(current, value, ...found.slice(1).map(unescaped));
    }
    const paths = allowed.map((rule) => rule.path).join(", ");
    // Recorded, the two spaces too.
    throw badRequest(`Invalid patch path  '${path}' specified for op '${op}'. Must be one of: [${paths}]`);
  }, target);
}

/** A resource path may have its slashes as they are, which Terraform relies on. */
function pattern(path: string): RegExp {
  const parts = path.replaceAll("<resourcePath>", "(.+)").replaceAll(/<[^>]+>/g, "([^/]+)");
  return new RegExp(`^${parts}$`);
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
