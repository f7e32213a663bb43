import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { askNewPassword, askSecret, confirm } from "../../../lib/tools/admin/ask-secret.ts";
import { collector } from "./support/admin.ts";

const question = { prompt: "Password", variable: "TERMINAL_PASSWORD" };

/** Fakes a terminal whose user answers each prompt with the next of these lines. */
function terminal(...lines: string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(collector(), { isTTY: true });
  const write = stderr.write.bind(stderr);
  stderr.write = ((text: string) => {
    if (/: $/.test(String(text))) setImmediate(() => stdin.write(`${lines.shift()}\n`));
    return write(text);
  }) as typeof stderr.write;
  return { stdin, stderr, env: {} };
}

describe("askSecret", () => {
  it("asks for the secret at the terminal without showing the input", async () => {
    const asked = terminal("se cret");
    expect(await askSecret(question, asked)).toBe("se cret");
    expect(asked.stderr.text()).toContain("Password: ");
    expect(asked.stderr.text()).not.toContain("cret");
  });

  it("prefers the environment variable over asking", async () => {
    const asked = terminal();
    expect(await askSecret(question, { ...asked, env: { TERMINAL_PASSWORD: "given" } })).toBe("given");
    expect(asked.stderr.text()).toBe("");
  });

  it("fails with one line when Ctrl-C ends the prompt", async () => {
    const asked = terminal();
    setImmediate(() => asked.stdin.write("\u0003"));
    await expect(askSecret(question, asked)).rejects.toThrow("Nothing was entered");
  });

  it("fails without a terminal or the environment variable", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    await expect(askSecret(question, { ...terminal(), stdin })).rejects.toThrow(
      "Password is needed: set TERMINAL_PASSWORD, or run this in a terminal",
    );
  });
});

describe("askNewPassword", () => {
  it("asks for a new password twice and rejects two that differ", async () => {
    expect(await askNewPassword(question, terminal("one", "one"))).toBe("one");
    await expect(askNewPassword(question, terminal("one", "two"))).rejects.toThrow(
      "The two passwords differ",
    );
  });
});

describe("confirm", () => {
  it.each([
    ["y\n", true],
    ["Yes\n", true],
    ["\n", false],
    ["no\n", false],
  ])("reads the answer %j as %s", async (typed, expected) => {
    const asked = terminal();
    asked.stdin.write(typed);
    expect(await confirm("Go on?", asked)).toBe(expected);
  });

  it("needs a terminal or --yes to confirm", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: false });
    await expect(confirm("Go on?", { ...terminal(), stdin })).rejects.toThrow("Add --yes");
  });
});
