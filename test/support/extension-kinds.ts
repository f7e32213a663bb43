import record from "../infra/published/published.json" with { type: "json" };

/** Returns the number of an extension of Token-2022, by the name in its published client. */
export function extensionKind(name: string): number {
  const kind = record.extensions.indexOf(name);
  if (kind < 0) throw new Error(`Token-2022 has no extension ${name}`);
  return kind;
}
