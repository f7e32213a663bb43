import { describe, expect, it } from "vitest";
import { partitionNameOf, partitions } from "../../lib/table/layout.ts";
import { isIn, productFiles } from "./source-files.ts";

const others = productFiles.filter(({ path }) => !isIn("lib/table", path));

describe("the layout of the table", () => {
  it("spells the name of each partition in only one place", () => {
    const names = partitions.map(({ key }) => partitionNameOf(key)).join("|");
    // Skips rows, which name partitions by types derived from the layout.
    const spelled = new RegExp(`["'\`/(|](?:${names})#|PK: "`);
    expect(others.filter(({ text }) => spelled.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe("lib/table", () => {
  it("writes the table from lib/table only", () => {
    const writing =
      /\b(?:Update|Condition)Expression\b|\b(?:TransactWrite|BatchWrite|Put|Update|Delete)(?:Item)?Command\b|\b(?:Execute|Batch)\w*StatementCommand\b/;
    expect(others.filter(({ text }) => writing.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
