import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { keysWithPrefix } from "../../../lib/plans/api-keys.ts";
import { ownerOf } from "../../../lib/plans/user-key.ts";
import { everythingOf } from "../../../lib/table/keys.ts";
import { queryRange } from "../../../lib/table/table.ts";
import { openLocal, openLocalPlans } from "../../../lib/tools/admin/local-target.ts";
import { scan } from "../../../lib/tools/admin/scan.ts";
import { referralCodeKey } from "../../../lib/users/item-keys.ts";
import { localRunner } from "../support/deployment.ts";
import { newUser } from "../support/users.ts";
import { keepAnswer } from "../support/written.ts";

const root = resolve(import.meta.dirname, "../../..");

type Options = { env?: Record<string, string>; interruptAt?: RegExp };

/** Runs the program as an operator who presses Ctrl-C after the first matching line. */
async function verify({ env = {}, interruptAt }: Options = {}) {
  const args = ["bin/verify.ts", "--local", `${localRunner().port}`, "--quick"];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    // Ctrl-C signals the whole process group.
    detached: true,
  });
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    if (interruptAt?.test(line)) {
      process.kill(-(child.pid ?? 0), "SIGINT");
      // npm passes on the terminal's signal a second time.
      child.kill("SIGINT");
    }
  });
  const [code] = await once(child, "close");
  const output = lines.join("\n");
  keepAnswer(output);
  return { code, output };
}

/** Expects that no item, referral code or API key of the printed users remains. */
async function expectNothingLeft(output: string): Promise<void> {
  const { port } = localRunner();
  const removed = [...output.matchAll(/^removed the data and the API keys of user (verify-\S+)$/gm)];
  const ids = removed.map(([, userID = ""]) => userID);
  expect(ids, output).toHaveLength(2);
  const { table } = await openLocal(port);
  for (const range of ids.flatMap((userID) => everythingOf(userID)))
    expect(await queryRange(table, range)).toEqual([]);
  const { SK } = referralCodeKey("");
  for await (const code of scan<{ userID: string }>(table, { from: SK, to: SK }, ["userID"]))
    expect(ids).not.toContain(code.userID);
  const { plans } = await openLocalPlans(port);
  for await (const { name } of keysWithPrefix(plans)) expect(ids).not.toContain(ownerOf(name));
}

const summary = /^passed: (\d+), failed: (\d+), skipped: (\d+)$/m;

const countsIn = (output: string) => summary.exec(output)?.slice(1).map(Number);

describe.concurrent("npm run verify", () => {
  it("passes on the local runner, and removes all its user's data", async () => {
    const { code, output } = await verify();

    expect({ code, counts: countsIn(output) }, output).toEqual({ code: 0, counts: [24, 0, 20] });
    await expectNothingLeft(output);
  }, 120_000);

  it("continues after a failed check, prints no token, and removes all its user's data", async () => {
    const { token } = await newUser();

    const { code, output } = await verify({ env: { VERIFY_EXPIRED_TOKEN: token } });

    expect({ code, counts: countsIn(output) }, output).toEqual({ code: 1, counts: [23, 1, 20] });
    expect(output).toMatch(/^FAIL {2}the authorizer answers an expired token with a 401 .*\n {6}\S/m);
    expect(output).not.toMatch(/eyJ/);
    await expectNothingLeft(output);
  }, 120_000);

  it("stops at Ctrl-C, and removes all its user's data", async () => {
    const { code, output } = await verify({ interruptAt: /^pass {2}mirrorPlans creates a key/ });

    expect({ code, counts: countsIn(output) }, output).toEqual({ code: 1, counts: undefined });
    expect(output).toMatch(/^The run was interrupted/m);
    await expectNothingLeft(output);
  }, 120_000);
});
