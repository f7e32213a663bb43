/** Routes that stand for what happens to a connection. No message reaches them by naming them. */
const lifecycle = new Set(["$connect", "$disconnect"]);

/** The keys in an expression such as `$request.body.type`; undefined for any other, which is not emulated. */
export function readSelection(expression: string): string[] | undefined {
  const [, path] = /^\$request\.body\.([\w-]+(?:\.[\w-]+)*)$/.exec(expression) ?? [];
  return path?.split(".");
}

/**
 * The key of the route that a message goes to. Of the message that is no JSON, names no route or names none that there
 * is, that is `$default`; undefined when there is no such route either.
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
