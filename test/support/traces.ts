/** How many characters in a row of a secret count as a part of it. */
const partLength = 12;

/** A part of one of the secrets that stands in the text, whatever its case; undefined when there is none. */
export function partIn(text: string, secrets: Iterable<string>): string | undefined {
  const parts = new Set<string>();
  for (const secret of secrets) for (const part of partsOf(secret)) parts.add(part);
  return partsOf(text).find((part) => parts.has(part));
}

function partsOf(text: string): string[] {
  const lower = text.toLowerCase();
  return Array.from({ length: Math.max(0, lower.length - partLength + 1) }, (_, start) =>
    lower.slice(start, start + partLength),
  );
}

/** Lines that only a stack trace has. */
export const stackTrace = /^\s+at .+[:(]|node:internal|file:\/\//m;
