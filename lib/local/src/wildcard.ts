/** What a pattern of IAM matches: `*` stands for any characters, `/` and `:` too, and `?` for one. */
export function wildcard(pattern: string, flags = ""): RegExp {
  const source = pattern
    .replace(/[\\^$.+()|[\]{}]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, `${flags}s`);
}
