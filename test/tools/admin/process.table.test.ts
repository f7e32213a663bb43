import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { linesOf } from "./support/admin.ts";
import { opened, rotate, targetWith, userWithWallets } from "./support/custody.ts";
import { localRunner, serve } from "./support/http.ts";
import { expectNoSecretPrinted, type Finished, printed } from "./support/secrets.ts";

const program = new URL("../../../bin/admin.ts", import.meta.url).pathname;

/** Removes the machine's own AWS credentials and region. */
const bareEnvironment = {
  HOME: "/nonexistent",
  AWS_CONFIG_FILE: "/nonexistent/config",
  AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
  AWS_EC2_METADATA_DISABLED: "true",
};

type Running = { child: ChildProcess; finished: Promise<Finished> };

/** Starts the admin program in a new process. */
function start(args: string[]): Running {
  const child = spawn(process.execPath, [program, ...args], {
    env: bareEnvironment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const finished = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]).then(([out, err, code]) => printed({ code, out, err }));
  return { child, finished };
}

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

describe("bin/admin.ts", () => {
  it("runs a command against a local runner and finishes the current item after Ctrl-C, even if pressed twice", async () => {
    const wallets = await userWithWallets(target, "alice", 10);
    await rotate(target);
    let begun = 0;
    const [third, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holdThird = async () => {
      if (++begun !== 3) return;
      third.resolve();
      await stopped.promise;
    };
    await using runner = await serve(localRunner(engine, target, holdThird));
    const { child, finished } = start([
      ...["rewrap-keys", "--concurrency", "1", "--local", String(runner.port)],
    ]);
    await third.promise;
    child.kill("SIGINT");
    await pause(100);
    child.kill("SIGINT");
    // The program receives the signals before the response arrives.
    stopped.resolve();
    const { code, out, err } = await finished;
    expect({ code, out }).toEqual({ code: 1, out: "re-wrapped: 3\nalready new: 0\nfailed: 0\n" });
    expect(linesOf(err).at(-1)).toBe(
      "error: Stopped; wallets left: 7; run the same command again to continue",
    );
    for (const { wallet, secret } of wallets) expect(await opened(target, wallet)).toEqual(secret);
  });

  it("exits quietly when the program that reads its output closes the pipe", async () => {
    await userWithWallets(target, "alice", 0);
    await using runner = await serve(localRunner(engine, target));
    const { child, finished } = start(["list-users", "--local", String(runner.port)]);
    const closed = once(child, "close");
    child.stdout?.destroy();
    await expect(finished).rejects.toThrow("Premature close");
    expect(await closed).toEqual([0, null]);
  });
});
