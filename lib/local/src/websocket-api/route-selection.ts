/** Routes for a connection's life cycle. A message cannot select them. */
const lifecycle = new Set(["$connect", "$disconnect"]);

/**
 * Reads the keys in an expression such as `$request.body.type`. Undefined for other expressions, which are not
 * emulated.
 */
export function readSelection(expression: string): string[] | undefined {
  const [, path] = /^\$request\.body\.([\w-]+(?:\.[\w-]+)*)$/.exec(expression) ?? [];
  return path?.split(".");
}

/**
 * Selects the route of a message by its key. A message that is not JSON or names no existing route goes to `$default`.
 * Undefined if that does not exist either.
 */
export function selectRoute(
  { selection, routes }: { selection: readonly string[]; routes: ReadonlyMap<string, unknown> },
  body: string,
): string | undefined {
  const named = valueAt(selection, body);
  if (typeof named === "string" && routes.has(named) && !lifecycle.has(named)) return named;
  return routes.has("$default") ? "$default" : undefined;
}

function valueAt(path: readonly string[], body: string): unknown {
  try {
    return path.reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      JSON.parse(body),
    );
  } catch {
    return undefined;
  }
}
