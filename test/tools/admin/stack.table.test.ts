import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { targets } from "../../../lib/tools/admin/program.ts";
import type { AdminDeps } from "../../../lib/tools/admin/target.ts";
import { register } from "../../../lib/users/register.ts";
import { names, userPool } from "../../support/cognito.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { linesOf, now, runWith } from "./support/admin.ts";
import { cloudFormation, type Served, serve } from "./support/http.ts";
import { lambdaWith } from "./support/lambda.ts";

let engine: Engine;
let stacks: Served;

/** Stacks of the account by name, with their outputs. */
const account = () => ({
  TerminalData: { TableName: engine.table.name, KeyId: "the-key", ...names },
  TerminalApi: {
    TableName: engine.table.name,
    RecordExecutionsFunction: "the-function",
    BaseUrl: "https://api.example",
    CallbackUrl: "https://callback.example",
    StandardPlanId: "standard",
    ProPlanId: "pro",
    PlanPrefix: "Terminal/user/",
    PlanStages: "[]",
    KeyGraceSeconds: "120",
  },
});

const credentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
const region = { AWS_REGION: "us-east-1" };

/** Removes the machine's own AWS settings. */
const bare = {
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_SESSION_TOKEN: undefined,
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_PROFILE: undefined,
  AWS_CONFIG_FILE: "/nonexistent/config",
  AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
  AWS_EC2_METADATA_DISABLED: "true",
};

beforeAll(async () => {
  engine = await startTable();
}, engineStart);
beforeEach(async () => {
  stacks = await serve(cloudFormation(account()));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stacks[Symbol.asyncDispose]();
});
afterAll(() => engine.stop());

/** Runs the program with only these AWS variables. */
function runOnStack(args: string[], env: Record<string, string>, deps: Partial<AdminDeps> = {}) {
  const endpoints = {
    AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${stacks.port}`,
    AWS_ENDPOINT_URL_DYNAMODB: engine.connection.endpoint,
  };
  for (const [name, value] of Object.entries({ ...bare, ...endpoints, ...env })) vi.stubEnv(name, value);
  return runWith(args, { ...targets, ...deps });
}

describe("--stack", () => {
  it("reads the table named by the data stack", async () => {
    await register(engine.table, { userID: "alice", names: ["alice"], ref: undefined }, now);
    const args = ["list-users", "--json", "--stack", "TerminalData"];
    const { code, out } = await runOnStack(args, engine.environment);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ userID: "alice" }]);
  });

  it("invokes the function named by the API stack", async () => {
    const lambda = lambdaWith("the-function", async ({ records }) => ({
      results: records.map((_, index) => ({ index, status: "recorded" })),
    }));
    await using functions = await serve(lambda);
    const examples = new URL("../../../lib/tools/admin/examples/executions.json", import.meta.url).pathname;
    const { code, out, err } = await runOnStack(["record", examples, "--stack", "TerminalApi"], {
      ...credentials,
      ...region,
      AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${functions.port}`,
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^recorded: 11, /);
  });

  it("deletes a user from the table and from the pool named by the data stack", async () => {
    const pool = userPool();
    await using served = await serve(pool.handle);
    const { sub } = pool.add({ email: "zoe@example.com", password: "Given-Password-1" });
    await register(engine.table, { userID: sub, names: ["Zoe"], ref: undefined }, now);
    const { code, out } = await runOnStack(
      ["delete-user", sub, "--yes", "--stack", "TerminalData"],
      {
        ...engine.environment,
        AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `http://127.0.0.1:${served.port}`,
      },
      { pauseMs: async () => undefined },
    );
    expect(code).toBe(0);
    expect(out).toContain(`${sub} was deleted at ${now.toISOString()}`);
    expect(() => pool.find("zoe@example.com")).toThrow("User does not exist");
    expect(await itemsNamed(engine.table, sub)).toMatchObject([{ username: "deleted user" }]);
  });

  it.each([
    ["an unknown stack", { ...credentials, ...region }, /Stack with id Other does not exist/],
    ["no region", credentials, /No AWS region: set AWS_REGION/],
    ["no credentials", region, /Could not load credentials/],
  ])("fails with one line for %s", async (_, env, message) => {
    const { code, out, err } = await runOnStack(["list-users", "--stack", "Other"], env);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
    expect(linesOf(err)).toHaveLength(1);
  });
});
