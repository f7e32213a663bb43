import { describe, expect, it, vi } from "vitest";
import { runWith } from "./support/admin.ts";
import { poolForTests } from "./support/pool-stack.ts";

const pool = poolForTests();

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
