import { StartupError } from "../startup-error.ts";
import { isObject } from "./intrinsics.ts";

/** Matches a dynamic reference anywhere in a text, and captures its service and the rest. */
const pattern = /\{\{resolve:([^:}]*):?([^}]*)\}\}/g;

/** Lists the ARNs of secrets in the dynamic references of a value. */
export const secretsIn = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/\{\{resolve:secretsmanager:(arn:(?:[^:}]*:){5}[^:}]*)/g)].map(
    ([, arn = ""]) => arn,
  );

/**
 * Replaces the dynamic references in a value.
 * @throws {StartupError} if one refers to another service than Secrets Manager
 */
export function replaceReferences(value: unknown, readSecret: (reference: string) => string): unknown {
  if (typeof value === "string")
    return value.replace(pattern, (whole, service, reference) => {
      if (service !== "secretsmanager") throw new StartupError(`${whole} is not emulated`);
      return readSecret(reference);
    });
  if (Array.isArray(value)) return value.map((each) => replaceReferences(each, readSecret));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, replaceReferences(each, readSecret)]);
  return Object.fromEntries(entries);
}
