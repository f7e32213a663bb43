import { readFileSync } from "node:fs";
import { compileContracts } from "trading-terminal-devnet/evm/compile-contracts";
import { expect, it } from "vitest";

it("the bytecode of the contracts is what their sources compile to. If not, run: npm run contracts", () => {
  for (const [path, text] of compileContracts(".")) expect(readFileSync(path, "utf8"), path).toBe(text);
});
