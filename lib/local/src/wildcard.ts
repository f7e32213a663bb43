/** Special characters that stand for themselves, as IAM writes them. */
export const escapedCharacter = /\$\{([*?$])\}/;

/** Compiles a pattern as IAM does: `*` stands for any characters, including `/` and `:`, and `?` for one. */
export function wildcard(pattern: string, flags = ""): RegExp {
  // Escapes every other part, which is a single special character.
  const source = pattern
    .split(escapedCharacter)
    .map((part, at) => (at % 2 === 1 ? `\\${part}` : sourceOf(part)))
    .join("");
  return new RegExp(`^${source}$`, `${flags}s`);
}

const sourceOf = (pattern: string) =>
  pattern
    .replace(/[\\^$.+()|[\]{}]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
