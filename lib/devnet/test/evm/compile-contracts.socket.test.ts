import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileContracts } from "../../evm/compile-contracts.ts";

it("the bytecode of the contracts is what their sources compile to. If not, run: npm run contracts", () => {
  for (const [path, text] of compileContracts(".")) expect(readFileSync(path, "utf8"), path).toBe(text);
});
