import { describe, expect, it } from "vitest";
import { operations } from "../../lib/operations/operations.ts";
import { functionOf } from "../../lib/tools/runner/watch/watch-terminal.ts";
import { resourcesOf, synthesize, tradingContext } from "./synthesized.ts";

describe("functionOf", () => {
  const functions = Object.keys(resourcesOf(synthesize(tradingContext).api, "AWS::Lambda::Function")).map(
    (logicalId) => `TerminalApi-${logicalId}`,
  );

  it.each(Object.keys(operations))("finds only the function of %s in the template", (row) => {
    expect(functionOf(functions, row)).toMatch(new RegExp(`^TerminalApi-${row}Function\\w{8}$`));
  });

  it("finds nothing for a row without a stack", () => {
    expect(functionOf(functions, "Wallets")).toBeUndefined();
  });
});
