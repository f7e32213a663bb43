import { afterEach, beforeEach, vi } from "vitest";
import { names, userPool } from "../../../support/cognito.ts";
import { cloudFormation, type Served, serve } from "./http.ts";

/**
 * Serves a stack with a user pool to each test of a file, and names the servers in the environment.
 *
 * @param others the outputs of other stacks.
 */
export function poolForTests(others: Parameters<typeof cloudFormation>[0] = {}): ReturnType<typeof userPool> {
  const pool = {} as ReturnType<typeof userPool>;
  let servers: Served[];

  beforeEach(async () => {
    Object.assign(pool, userPool());
    servers = await Promise.all([
      serve(cloudFormation({ TerminalData: { TableName: "t", ...names }, ...others })),
      serve(pool.handle),
    ]);
    const [stacks, cognito] = servers.map(({ port }) => `http://127.0.0.1:${port}`);
    const environment = {
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_ENDPOINT_URL_CLOUDFORMATION: stacks,
      AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: cognito,
      TERMINAL_PASSWORD: undefined,
      TERMINAL_NEW_PASSWORD: undefined,
      TERMINAL_CODE: undefined,
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const server of servers) await server[Symbol.asyncDispose]();
  });
  return pool;
}
