/** Matches as IAM patterns do: `*` is any characters, `/` and `:` included, and `?` is one. */
export function wildcard(pattern: string, flags = ""): RegExp {
  const source = pattern
    .replace(/[\\^$.+()|[\]{}]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, `${flags}s`);
}
