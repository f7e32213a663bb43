import { logFault } from "./log.ts";
import { withoutStack } from "./without-stack.ts";

/**
 * The ring around functions that no client waits for. A fault is logged by name and counts as an error of the function,
 * which then is tried again or not, as its trigger says.
 */
export function background<Event, Result>(operation: string, handle: (event: Event) => Promise<Result>) {
  return async (event: Event): Promise<Result> => {
    try {
      return await handle(event);
    } catch (error) {
      logFault(operation, error);
      throw withoutStack(`${operation} failed`);
    }
  };
}
