import { ServiceError } from "../core/service-error.ts";

/** Reports that an object in JSON has the same field twice. Parsers disagree on which one counts. */
export class RepeatedField extends ServiceError {
  override readonly code = "REPEATED_FIELD";
  readonly field: string;

  constructor(field: string) {
    super("A field occurs twice");
    this.field = field;
  }
}

/**
 * Parses JSON, refusing objects that have the same field twice. `JSON.parse` would silently keep the last one.
 *
 * @throws {SyntaxError}
 * @throws {RepeatedField}
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const repeated = repeatedField(text);
  if (repeated !== undefined) throw new RepeatedField(repeated);
  return value;
}

/** @param json Must be valid JSON, because the search does not check the syntax. */
function repeatedField(json: string): string | undefined {
  const enclosing: Set<string>[] = [];
  let text = "";
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "{") enclosing.push(new Set());
    else if (character === "}") enclosing.pop();
    else if (character === '"') {
      const end = endOfString(json, at);
      text = json.slice(at, end + 1);
      at = end;
    } else if (character === ":") {
      // Decodes escapes, because they allow several spellings of a name.
      const name: string = text.includes("\\") ? JSON.parse(text) : text.slice(1, -1);
      const names = enclosing.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}

/** Returns the index of the quote that ends the string starting at an index. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}
