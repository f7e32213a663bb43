import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileContracts } from "../../evm/compile-contracts.ts";

it("compiles the contracts to the stored bytecode. If not, run: npm run contracts", () => {
  for (const [path, text] of compileContracts(".")) expect(readFileSync(path, "utf8"), path).toBe(text);
});
