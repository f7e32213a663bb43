/** Why the runner cannot start, and what to do about it. Shown without a stack trace. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}
