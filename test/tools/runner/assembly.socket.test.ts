import { readdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../lib/infra/functions/bundle.ts";
import { sources } from "../../../lib/tools/runner/assembly.ts";
import { filesOf } from "../../../lib/tools/runner/watch/bundler.ts";

describe("the sources of the assembly", () => {
  const handlers = readdirSync(resolve(root, "functions")).map((name) => `functions/${name}/handler.ts`);

  it.each(["bin/app.ts", ...handlers])("includes every source file of %s", async (program) => {
    const files = [...(await filesOf(root, resolve(root, program)))].map((file) => relative(root, file));
    expect(files).toContain(program);
    const covers = (file: string) =>
      sources.some((source) => file === source || file.startsWith(`${source}/`));
    expect(files.filter((file) => !covers(file))).toEqual([]);
  });

  it("excludes code that only local development and the programs use", () => {
    const folders = sources.filter((source) => source.startsWith("lib/"));
    expect(folders).toEqual(expect.arrayContaining(["lib/core", "lib/client", "lib/console/app"]));
    for (const folder of ["console", "devnet", "local", "tools"])
      expect(folders).not.toContain(`lib/${folder}`);
  });
});
