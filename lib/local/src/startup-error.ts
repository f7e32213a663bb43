/** An error that explains why the runner cannot start, and how to fix that. It is shown without a stack trace. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
