/**
 * Test folders that can run with this environment. BASE_URL and STREAM_URL name a stage.
 *
 * - `any` needs tokens of any two users, with or without data (TOKEN_A and TOKEN_B)
 * - `users` needs tokens for new users (TOKEN_COMMAND)
 * - `local` needs the local runner, with its issuer, its admin program and its files (no BASE_URL)
 */
export function foldersFor(env: NodeJS.ProcessEnv): string[] {
  if (stageAddress(env) === undefined) return ["any", "users", "local"];
  return env.TOKEN_COMMAND === undefined ? ["any"] : ["any", "users"];
}

/** Base URL of the deployed stage, or undefined. Ignores the path `/`, because Vite sets the same variable to it. */
export function stageAddress({ BASE_URL = "/" }: NodeJS.ProcessEnv): string | undefined {
  return BASE_URL.startsWith("/") ? undefined : BASE_URL.replace(/\/$/, "");
}
