import { inject } from "vitest";
import { stageAddress } from "../folders.ts";

/** Describes the deployment to test. */
export type Deployment = {
  /** Base URL of the REST API, without a trailing slash. */
  baseUrl: string;
  streamUrl: string;
  /** A web origin whose pages may call the service. Undefined if the deployment allows none. */
  allowedOrigin: string | undefined;
  tokens: TokenSource;
  /** Parts that only tests on the local runner's machine can reach. */
  local?: { port: number; chainPort: number; dataDir: string; control: string };
};

/** Source of tokens: the local issuer, a shell command with a placeholder `{user}`, or the tokens of two users. */
export type TokenSource =
  | { from: "issuer" }
  | { from: "command"; template: string }
  | { from: "environment"; tokens: [string, string] };

declare module "vitest" {
  interface ProvidedContext {
    deployment: Deployment;
  }
}

export const deployment = (): Deployment => inject("deployment");

/** Returns the local runner. Only tests in the folder `local` may rely on it. */
export function localRunner(): NonNullable<Deployment["local"]> {
  const { local } = deployment();
  if (local === undefined) throw new Error("This test needs the local runner");
  return local;
}

/**
 * Waits until the local runner, if there is one, serves requests. With POST, first crashes the runner and restarts it
 * on the same data. With DELETE, waits until the runner and all of its processes have ended.
 *
 * @returns the process id
 */
export async function runnerProcess(method: "GET" | "POST" | "DELETE"): Promise<number | undefined> {
  const { local } = deployment();
  if (local === undefined) return undefined;
  const response = await fetch(local.control, { method });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return Number(answer);
}

/** Returns the deployed stage that the environment names, if any. */
export function deployedStage(env: NodeJS.ProcessEnv): Deployment | undefined {
  const baseUrl = stageAddress(env);
  if (baseUrl === undefined) return undefined;
  const { STREAM_URL: streamUrl, ALLOWED_ORIGIN: allowedOrigin } = env;
  if (streamUrl === undefined) throw new Error("Give STREAM_URL in addition to BASE_URL");
  return { baseUrl, streamUrl, allowedOrigin, tokens: tokenSource(env) };
}

function tokenSource({ TOKEN_COMMAND, TOKEN_A, TOKEN_B }: NodeJS.ProcessEnv): TokenSource {
  if (TOKEN_COMMAND !== undefined) return { from: "command", template: TOKEN_COMMAND };
  if (TOKEN_A === undefined || TOKEN_B === undefined)
    throw new Error("Give TOKEN_COMMAND, or TOKEN_A and TOKEN_B, in addition to BASE_URL");
  return { from: "environment", tokens: [TOKEN_A, TOKEN_B] };
}
