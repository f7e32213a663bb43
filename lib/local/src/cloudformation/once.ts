import { StartupError } from "../startup-error.ts";

/**
 * Remembers what was computed for a path, and refuses to compute a path while it is being computed.
 * @throws StartupError that shows the circle
 */
export function once<Argument, Value>(compute: (path: string, argument: Argument) => Value) {
  const known = new Map<string, Value>();
  const underWay = new Set<string>();

  return (path: string, argument: Argument): Value => {
    if (known.has(path)) return known.get(path) as Value;
    if (underWay.has(path)) {
      const circle = [...underWay, path].slice([...underWay].indexOf(path));
      throw new StartupError(`Circular reference: ${circle.join(" -> ")}`);
    }
    underWay.add(path);
    try {
      const value = compute(path, argument);
      known.set(path, value);
      return value;
    } finally {
      underWay.delete(path);
    }
  };
}
