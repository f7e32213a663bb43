import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { names, userPool } from "../../support/cognito.ts";
import { runWith } from "./support/admin.ts";
import { cloudFormation, type Served, serve } from "./support/http.ts";

let pool: ReturnType<typeof userPool>;
let servers: Served[];

beforeEach(async () => {
  pool = userPool();
  servers = await Promise.all([
    serve(cloudFormation({ TerminalData: { TableName: "t", ...names } })),
    serve(pool.handle),
  ]);
  const [stacks, cognito] = servers.map(({ port }) => `http://127.0.0.1:${port}`);
  const environment = {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_CLOUDFORMATION: stacks,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: cognito,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers) await server[Symbol.asyncDispose]();
});

const createUser = (...args: string[]) => runWith(["create-user", ...args, "--stack", "TerminalData"], {});

describe("create-user", () => {
  it("lets Cognito mail a temporary password and prints the userID", async () => {
    const { code, out, err } = await createUser("ann@example.com");
    const { sub, password, isTemporary } = pool.find("ann@example.com");
    expect({ code, out, err }).toEqual({
      code: 0,
      err: "",
      out: `created ann@example.com with the userID ${sub}\n`,
    });
    expect(isTemporary).toBe(true);
    expect(pool.mails).toEqual([{ to: "ann@example.com", password }]);
  });

  it("reads the temporary password from a variable with --no-mail and never prints it", async () => {
    vi.stubEnv("TERMINAL_PASSWORD", "Given-Password-1");
    const { code, out } = await createUser("bob@example.com", "--no-mail");
    expect(code).toBe(0);
    expect(pool.find("bob@example.com")).toMatchObject({ password: "Given-Password-1", isTemporary: true });
    expect(pool.mails).toEqual([]);
    expect(out).not.toContain("Given-Password-1");
  });

  it("reports Cognito's errors in one line", async () => {
    pool.add({ email: "ann@example.com", password: "x" });
    expect(await createUser("ann@example.com")).toEqual({
      code: 1,
      out: "",
      err: "error: UsernameExistsException: User account already exists\n",
    });
  });

  it.each(["ann", "ann@", "a b@example.com"])("rejects the invalid address %j", async (name) => {
    expect(await createUser(name)).toMatchObject({ code: 2, out: "" });
    expect(pool.asked).toEqual([]);
  });
});
