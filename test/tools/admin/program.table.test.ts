import { afterEach, describe, expect, it, vi } from "vitest";
import { OperatorError } from "../../../lib/tools/admin/operator-error.ts";
import type { AdminDeps } from "../../../lib/tools/admin/target.ts";
import { linesOf, runWith } from "./support/admin.ts";

const openTarget = vi.fn<AdminDeps["openTarget"]>();
const openFunctions = vi.fn<AdminDeps["openFunctions"]>();
const openPlans = vi.fn<AdminDeps["openPlans"]>();
afterEach(() => {
  openTarget.mockReset();
  openFunctions.mockReset();
  openPlans.mockReset();
});

const admin = (...args: string[]) => runWith(args, { openTarget, openFunctions, openPlans });

const commands = [
  "set-user",
  "put-rewards",
  "record",
  "list-users",
  "show-user",
  "sync-plans",
  "rewrap-keys",
  "list-redemptions",
  "fulfil",
  "refund",
];
/** Required arguments of each command. */
const operands: Record<string, string[]> = {
  "set-user": ["alice"],
  "show-user": ["alice"],
  "put-rewards": ["rewards.json"],
  record: ["executions.json"],
  fulfil: ["id"],
  refund: ["id"],
};
const local = ["--local", "3000"];

describe("--help", () => {
  it("lists all commands in the help", async () => {
    const { code, out, err } = await admin("--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const command of commands) expect(out).toContain(`\n  ${command} `);
  });

  it.each(commands)(
    "names both kinds of target and the source of credentials in the help of %s",
    async (command) => {
      const { code, out, err } = await admin(command, "--help");
      expect({ code, err }).toEqual({ code: 0, err: "" });
      for (const word of ["--local [port]", "--stack <name>", "AWS_PROFILE", "AWS_REGION"]) {
        expect(out).toContain(word);
      }
    },
  );

  it.each(commands)("names the kind of stack that %s takes in its help", async (command) => {
    const help = (await admin(command, "--help")).out.replace(/\s+/g, " ");
    const [kind, example] = command === "record" ? ["API", "TerminalApi"] : ["data", "TerminalData"];
    expect(help).toContain(`the name of a deployed ${kind} stack, such as ${example}.`);
    expect(help.includes("the one with the output RecordExecutionsFunction")).toBe(command === "record");
  });

  it("prints the help and fails when no command is given", async () => {
    const { code, out, err } = await admin();
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("rewrap-keys");
  });
});

describe("wrong usage", () => {
  it.each([
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["list-users", "--frob", ...local], "unknown option '--frob'"],
    [["list-users", "alice", ...local], "too many arguments"],
    [["show-user", ...local], "missing required argument 'id'"],
    [["put-rewards", ...local], "missing required argument 'file'"],
    [["record", ...local], "missing required argument 'file'"],
    ...commands.map((command) => [
      [command, ...(operands[command] ?? [])],
      "one of --local [port] and --stack <name> is required",
    ]),
    [["list-users", ...local, "--stack", "TerminalData"], "cannot be used with option '--stack <name>'"],
    [["list-users", "--local", "zero"], "a whole number from 1 to 65535"],
    [["list-users", "--local", "65536"], "a whole number from 1 to 65535"],
    [["set-user", "alice", ...local], "nothing to change"],
    ...["-1", "100.01", "1.005", "2x"].map((text): [string[], string] => [
      ["set-user", "alice", "--xp-multiplier", text, ...local],
      "It must be a number from 0 to 100 with at most 2 decimal places",
    ]),
    [["set-user", "alice", "--tier", "pro", ...local], "Allowed choices are Base, Pro, Enterprise"],
    [["set-user", "alice", "--points", "1000000000001", ...local], "a whole number from 0 to 1000000000000"],
    ...["-1", "1.5", "1e3", "ten", "", "9007199254740992"].flatMap((value) => [
      [["set-user", "alice", "--points", value, ...local], "a whole number from 0 to 1000000000000"],
      [["set-user", "alice", "--xp", value, ...local], "a whole number from 0 to 9007199254740991"],
    ]),
    ...["0", "-1", "1.5", "many", "600001"].map((value) => [
      ["set-user", "alice", "--requests-per-minute", value, ...local],
      "a whole number from 1 to 600000",
    ]),
    [["sync-plans", ...local], "one of --check and --fix is required"],
    [["sync-plans", "--check", "--fix", ...local], "cannot be used with option '--fix'"],
    [
      ["sync-plans", "--check", "--api-stack", "Api", ...local],
      "cannot be used with option '--local [port]'",
    ],
    ...["", " alice", "a@b.example", "line\nbreak", "x".repeat(65)].map((value) => [
      ["set-user", "alice", "--username", value, ...local],
      "It must be 1 to 64 characters",
    ]),
    ...["0", "101", "many"].map((value) => [
      ["rewrap-keys", "--concurrency", value, ...local],
      "a whole number from 1 to 100",
    ]),
  ] as [string[], string][])(
    "exits with status 2 and a reason for %j, and opens nothing",
    async (args, message) => {
      const { code, out, err } = await admin(...args);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain(message);
      expect(linesOf(err).at(-1)).toBe("(add --help for usage)");
      expect(openTarget).not.toHaveBeenCalled();
      expect(openFunctions).not.toHaveBeenCalled();
      expect(openPlans).not.toHaveBeenCalled();
    },
  );
});

describe("a failed command", () => {
  const failing = (error: unknown) => {
    openTarget.mockRejectedValue(error);
    return admin("list-users", ...local);
  };

  it.each([
    [new OperatorError("There is no user bob"), "There is no user bob"],
    [
      Object.assign(new Error("not\n  authorized"), { name: "AccessDeniedException", $metadata: {} }),
      "AccessDeniedException: not authorized",
    ],
    [
      Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { syscall: "connect" }),
      "connect ECONNREFUSED 127.0.0.1:1",
    ],
  ])("exits with status 1 and one line for the error %s", async (error, line) => {
    expect(await failing(error)).toEqual({ code: 1, out: "", err: `error: ${line}\n` });
  });

  it("throws errors that are bugs in the program", async () => {
    await expect(failing(new TypeError("a fault"))).rejects.toThrow("a fault");
  });
});
