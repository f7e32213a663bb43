import { describe, expect, it } from "vitest";
import { openDirectory } from "../../../lib/tools/admin/pool-users.ts";
import { poolForTests } from "./support/pool-stack.ts";

const pool = poolForTests({ Elsewhere: { TableName: "t" } });

describe("openDirectory", () => {
  it("signs out and removes a user of the stack's pool, also if called again", async () => {
    const { sub } = pool.add({ email: "ann@example.com", password: "Given-Password-1" });
    const directory = await openDirectory("TerminalData");
    await directory?.signOut(sub);
    expect(pool.find("ann@example.com").sub).toBe(sub);
    await directory?.remove(sub);
    expect(() => pool.find("ann@example.com")).toThrow("User does not exist");
    await directory?.signOut(sub);
    await directory?.remove(sub);
    expect(pool.asked.slice(0, 2)).toEqual(["AdminUserGlobalSignOut", "AdminDeleteUser"]);
  });

  it("finds no directory if users sign in elsewhere", async () => {
    expect(await openDirectory("Elsewhere")).toBeUndefined();
  });
});
