import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { targeted } from "../../../lib/tools/admin/options.ts";

describe("targeted", () => {
  it.each([
    [["--local", "--quick"], { local: 3000, quick: true }],
    [["--quick", "--local"], { local: 3000, quick: true }],
    [["--local", "4000"], { local: 4000 }],
    [["--stack", "TerminalData"], { stack: "TerminalData" }],
  ])("reads the options %j", (args, options) => {
    const command = targeted(new Command()).option("--quick").exitOverride();
    command.action(() => {});
    command.parse(args, { from: "user" });
    expect(command.opts()).toEqual(options);
  });
});
