/** Lambda logs the stack of what a handler throws, so what handlers throw here has none. */
export function withoutStack(message: string): Error {
  return Object.assign(new Error(message), { stack: "" });
}
