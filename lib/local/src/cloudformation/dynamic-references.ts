import { StartupError } from "../startup-error.ts";
import { isObject } from "./intrinsics.ts";

/** A dynamic reference, which may be a part of a text: its service, and what it says to it. */
const pattern = /\{\{resolve:([^:}]*):?([^}]*)\}\}/g;

/**
 * A value in which the dynamic references are replaced.
 * @throws StartupError if one is not to Secrets Manager
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
