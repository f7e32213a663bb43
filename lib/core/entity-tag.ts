/** Tags in an If-Match or If-None-Match: `*`, or a list. `text` is the part of a tag between the quotes. */
export type EntityTags = "*" | readonly { text: string; isWeak: boolean }[];

/** Strong tag of a record's version. Version 0 means that the record does not exist yet. */
export const tagOfVersion = (version: number): string => `"${version}"`;

const tag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/;
const list = new RegExp(`^[\\s,]*${tag.source}(?:\\s*,[\\s,]*${tag.source})*[\\s,]*$`);

/** Parses `*` or a list of entity tags. Returns undefined for any other text. */
export function readEntityTags(text: string): EntityTags | undefined {
  if (text.trim() === "*") return "*";
  if (!list.test(text)) return undefined;
  return [...text.matchAll(new RegExp(tag, "g"))].map(([, weak, text = ""]) => ({
    text,
    isWeak: weak !== undefined,
  }));
}

/**
 * Lists the versions that an If-Match accepts, or undefined for all. Weak tags and tags of other forms match nothing.
 */
export function matchedVersions(tags: EntityTags): number[] | undefined {
  if (tags === "*") return undefined;
  const strong = tags.filter(({ isWeak }) => !isWeak).map(({ text }) => text);
  const versions = [...new Set(strong)].filter((text) => text === String(Number(text))).map(Number);
  return versions.filter((version) => Number.isSafeInteger(version));
}

/**
 * True if an If-None-Match contains a tag. A weak tag counts like a strong one, because either shows that the cached
 * copy is still good.
 */
export const isNamed = (etag: string, tags: EntityTags): boolean =>
  tags === "*" || tags.some(({ text }) => `"${text}"` === etag.replace(/^W\//, ""));
