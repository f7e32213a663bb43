/** Compiles a pattern as IAM does: `*` stands for any characters, `/` and `:` included, and `?` for one. */
export function wildcard(pattern: string, flags = ""): RegExp {
  const source = pattern
    .replace(/[\\^$.+()|[\]{}]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, `${flags}s`);
}
