/**
 * The folders of tests that a deployment can be asked to pass, by what it gives the tests beside its addresses (BASE_URL
 * and STREAM_URL):
 *
 * - `any`: tokens of any two users, whatever they hold already (TOKEN_A and TOKEN_B)
 * - `users`: a token for a new user whenever a test wants one (TOKEN_COMMAND)
 * - `local`: the local runner, with its issuer, its admin program and its files (no BASE_URL)
 */
export function foldersFor(env: NodeJS.ProcessEnv): string[] {
  if (stageAddress(env) === undefined) return ["any", "users", "local"];
  return env.TOKEN_COMMAND === undefined ? ["any"] : ["any", "users"];
}

/** The base_url of the deployed stage to test, if there is one. Vite sets the same variable to the path `/`. */
export function stageAddress({ BASE_URL = "/" }: NodeJS.ProcessEnv): string | undefined {
  return BASE_URL.startsWith("/") ? undefined : BASE_URL.replace(/\/$/, "");
}
