import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { register } from "../../lib/users/register.ts";
import { type Engine, engineStart, startTable } from "../support/dynamodb.ts";
import { linesOf, now } from "./support/admin.ts";
import { type Imported, opened, rotate, stored, targetWith, userWithWallets } from "./support/custody.ts";
import { cloudFormation, localRunner, serve } from "./support/http.ts";
import { runProcess, start } from "./support/process.ts";
import { expectNoSecretPrinted } from "./support/secrets.ts";

let engine: Engine;
let target: ReturnType<typeof targetWith>;

beforeAll(async () => {
  engine = await startTable();
}, engineStart);
beforeEach(async () => {
  target = targetWith(await engine.newTable());
});
afterEach(expectNoSecretPrinted);
afterAll(() => engine.stop());

const signIn = (userID: string) => register(target.table, { userID, names: [userID], ref: undefined }, now);

describe("the program with --local", () => {
  it("works on the runner of that port", async () => {
    await signIn("alice");
    await using runner = await serve(localRunner(engine, target));
    const at = ["--local", String(runner.port)];
    expect(await runProcess(["set-user", "alice", "--tier", "Pro", ...at])).toEqual({
      ...{ code: 0, out: "tier: Base -> Pro\n", err: "" },
    });
    const unknown = await runProcess(["show-user", "bob", ...at]);
    expect(unknown).toMatchObject({ code: 1, out: "" });
    expect(unknown.err).toMatch(/^error: There is no user bob;.*\n$/);
    expect((await runProcess(["set-user", "alice", "--tier", "Gold", ...at])).code).toBe(2);
  });

  it("ends quietly when the reader of a list has enough", async () => {
    await Promise.all(["a", "b", "c"].map(signIn));
    await using runner = await serve(localRunner(engine, target));
    const { child, finished } = start(["list-users", "--local", String(runner.port)]);
    const closed = once(child, "close");
    child.stdout?.destroy();
    await expect(finished).rejects.toThrow("Premature close");
    expect(await closed).toEqual([0, null]);
  });
});

describe("the program with --stack", () => {
  const credentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const region = { AWS_REGION: "us-east-1" };
  const outputs = () => ({ TableName: target.table.name, KeyId: target.vault.keyId });

  it("works on the table of that stack", async () => {
    await signIn("alice");
    await using aws = await serve(cloudFormation("TerminalData", outputs()));
    const { code, out } = await runProcess(["list-users", "--json", "--stack", "TerminalData"], {
      ...credentials,
      ...region,
      AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${aws.port}`,
      AWS_ENDPOINT_URL_DYNAMODB: engine.connection.endpoint,
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ userID: "alice" }]);
  });

  it.each([
    ["an unknown stack", { ...credentials, ...region }, /Stack with id Other does not exist/],
    ["no region", credentials, /No AWS region: set AWS_REGION/],
    ["no credentials", region, /Could not load credentials/],
  ])("ends with one line for %s", async (_, env, message) => {
    await using aws = await serve(cloudFormation("TerminalData", outputs()));
    const { code, out, err } = await runProcess(["list-users", "--stack", "Other"], {
      ...env,
      AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${aws.port}`,
    });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
    expect(linesOf(err)).toHaveLength(1);
  });
});

describe("rewrap-keys that is ended on the way", () => {
  let wallets: Imported[];

  beforeEach(async () => {
    wallets = await userWithWallets(target, "alice", 10);
    await rotate(target);
  });

  /** Starts re-wrapping, and runs `end` while the third wallet is at KMS. */
  async function endOnTheWay(end: (child: ChildProcess) => unknown) {
    let begun = 0;
    const running = Promise.withResolvers<void>();
    const slow = async () => {
      if (++begun === 3) running.resolve();
      await pause(begun < 3 ? 0 : 300);
    };
    await using runner = await serve(localRunner(engine, target, slow));
    const args = ["rewrap-keys", "--concurrency", "1", "--local", String(runner.port)];
    const { child, finished } = start(args);
    await running.promise;
    await end(child);
    return await finished;
  }

  async function expectRestIsDone(done: number): Promise<void> {
    for (const { wallet, secret } of wallets) expect(await opened(target, wallet)).toEqual(secret);
    await using runner = await serve(localRunner(engine, target));
    const { code, out } = await runProcess(["rewrap-keys", "--local", String(runner.port)]);
    expect({ code, out }).toEqual({
      code: 0,
      out: `re-wrapped: ${10 - done}\nalready new: ${done}\nfailed: 0\n`,
    });
    for (const { wallet, secret } of wallets) expect(await opened(target, wallet)).toEqual(secret);
    const materials = await Promise.all(wallets.map(({ wallet }) => stored(target, wallet)));
    expect(new Set(materials.map(({ keyMaterialId }) => keyMaterialId)).size).toBe(1);
  }

  it("finishes the wallet at hand on Ctrl-C, even when it arrives twice, and tells how to go on", async () => {
    const { code, out, err } = await endOnTheWay(async (child) => {
      child.kill("SIGINT");
      await pause(100);
      child.kill("SIGINT");
    });
    expect({ code, out }).toEqual({ code: 1, out: "re-wrapped: 3\nalready new: 0\nfailed: 0\n" });
    expect(linesOf(err).at(-1)).toBe("error: Stopped; wallets left: 7; run the same command again to go on");
    await expectRestIsDone(3);
  });

  it("loses nothing when it is killed", async () => {
    const { code } = await endOnTheWay((child) => child.kill("SIGKILL"));
    expect(code).toBeNull();
    await expectRestIsDone(2);
  });
});
