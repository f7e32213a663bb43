import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { main } from "../../../lib/tools/runner/token.ts";
import { totp } from "../../support/cognito.ts";
import { poolForTests } from "../admin/support/pool-stack.ts";
import { stdioForTests } from "./support/stdio.ts";

const pool = poolForTests({ TerminalApi: { BaseUrl: "https://x" } });

const [email, password, newPassword] = ["ann@example.com", "First-Password-1", "Second-Password-2"];

async function token(variables: Record<string, string>, ...args: string[]) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const stdio = stdioForTests();
  const status = await main(["--user", email, "--stack", "TerminalData", ...args], stdio);
  const { out, err } = stdio.printed;
  for (const secret of [password, newPassword]) expect(out + err).not.toContain(secret);
  return { status, out, err };
}

const granted = ({ sub }: { sub: string }) => ({ status: 0, out: `token-of-${sub}\n`, err: "" });

describe("token --stack", () => {
  it("prints only the access token of a user in the stack's own pool", async () => {
    const user = pool.add({ email, password });
    expect(await token({ TERMINAL_PASSWORD: password })).toEqual(granted(user));
    expect(pool.asked).toEqual(["AdminInitiateAuth"]);
  });

  it("replaces a temporary password with a new one", async () => {
    const user = pool.add({ email, password, isTemporary: true });
    expect(await token({ TERMINAL_PASSWORD: password, TERMINAL_NEW_PASSWORD: newPassword })).toEqual(
      granted(user),
    );
    expect(user).toMatchObject({ password: newPassword, isTemporary: false });
  });

  it("sends the authenticator's code, even after a new password", async () => {
    const totpSecret = randomBytes(20);
    const user = pool.add({ email, password, isTemporary: true, totpSecret });
    const variables = {
      TERMINAL_PASSWORD: password,
      TERMINAL_NEW_PASSWORD: newPassword,
      TERMINAL_CODE: totp(totpSecret),
    };
    expect(await token(variables)).toEqual(granted(user));
    expect(pool.asked).toEqual([
      "AdminInitiateAuth",
      "AdminRespondToAuthChallenge",
      "AdminRespondToAuthChallenge",
    ]);
  });

  it.each([
    [
      "a wrong password",
      { TERMINAL_PASSWORD: newPassword },
      {},
      "NotAuthorizedException: Incorrect username or password.",
    ],
    [
      "a wrong code",
      { TERMINAL_CODE: "none" },
      { totpSecret: randomBytes(20) },
      "CodeMismatchException: Invalid code received for user",
    ],
    [
      "a weak new password",
      { TERMINAL_NEW_PASSWORD: "weak" },
      { isTemporary: true },
      "InvalidPasswordException: Password did not conform with policy: too weak",
    ],
    [
      "no new password",
      {},
      { isTemporary: true },
      "New password is needed: set TERMINAL_NEW_PASSWORD, or run this in a terminal",
    ],
  ])("explains in one line what is wrong with %s", async (_, variables, user, err) => {
    pool.add({ email, password, ...user });
    expect(await token({ TERMINAL_PASSWORD: password, ...variables })).toEqual({
      status: 1,
      out: "",
      err: `${err}\n`,
    });
  });

  it("sends Cognito no request without a password", async () => {
    const err = "Password is needed: set TERMINAL_PASSWORD, or run this in a terminal\n";
    expect(await token({})).toEqual({ status: 1, out: "", err });
    expect(pool.asked).toEqual([]);
  });

  it("names the kind of stack that the token program needs", async () => {
    const stdio = stdioForTests();
    expect(await main(["--user", email, "--stack", "TerminalApi"], stdio)).toBe(1);
    expect(stdio.printed.err).toBe(
      "Stack TerminalApi lacks the outputs UserPoolId, UserPoolClientId; name the data stack of a deployment with a user " +
        "pool of its own, such as TerminalData\n",
    );
  });

  it.each([
    ["--ref", "CODE"],
    ["--port", "3000"],
    ["--expires-in", "60"],
    ["--signed-in-seconds-ago", "400"],
    ["--username", "Ann"],
  ])("rejects %s, an option only for the local runner", async (...option) => {
    expect(await token({ TERMINAL_PASSWORD: password }, ...option)).toMatchObject({ status: 2, out: "" });
  });
});
