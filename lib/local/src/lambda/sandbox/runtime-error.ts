/** A failure that Lambda's runtime itself reports, under a name such as `Runtime.HandlerNotFound`. */
export class RuntimeError extends Error {
  constructor(name: `Runtime.${string}`, message: string) {
    super(message);
    this.name = name;
  }
}

/** What a caller is told about something that a handler threw: JSON of `{errorType, errorMessage, trace}`. */
export function errorPayload(thrown: unknown): string {
  const { errorType, errorMessage, trace } =
    thrown instanceof Error
      ? { errorType: thrown.name, errorMessage: thrown.message, trace: thrown.stack?.split("\n") ?? [] }
      : { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return JSON.stringify({ errorType, errorMessage, trace });
}
