import { describe, expect, it } from "vitest";
import { operationsOf } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { productFiles, sourceFiles } from "./source-files.ts";

const exportPattern =
  /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|type|interface) (?:\{([^}]*)\}|(\w+))/gm;

const exportsOf = (text: string) =>
  [...text.matchAll(exportPattern)].flatMap(([, several, one]) =>
    several === undefined ? [one as string] : several.split(",").map((name) => name.trim()),
  );

/** Names that more than one file uses, with those files. */
function clashes(files: typeof productFiles, namesOf: (file: (typeof productFiles)[number]) => string[]) {
  const uses = files.flatMap((file) =>
    [...new Set(namesOf(file))].map((name) => ({ name, path: file.path })),
  );
  const byName = Map.groupBy(uses, ({ name }) => name);
  return [...byName]
    .filter(([, { length }]) => length > 1)
    .map(([name, files]) => `${name}: ${files.map(({ path }) => path).join(", ")}`);
}

describe("the source", () => {
  it("exports no name from two files of the product, handlers, programs and operations' schemas aside", () => {
    // Handlers import the schemas of a subject under one name, as in `schemas.listWallets`.
    const others = productFiles.filter(({ path }) => !/^lib\/api\/\w+-operations\.ts$/.test(path));
    expect(
      clashes(others, ({ text }) => exportsOf(text).filter((name) => !["handler", "main"].includes(name))),
    ).toEqual([]);
  });

  it("wraps functions that no client waits for, and uses walled for those inside the VPC", () => {
    const rows = [...operationsOf("changes"), ...operationsOf("schedule"), ...operationsOf("internal")];
    const wrapped = (name: string, { opensWallets }: Operation) =>
      new RegExp(
        `export const handler = (${opensWallets ? "walled" : "background|onChanges"})\\(\\s*"${name}"`,
      );
    const unwrapped = rows.filter(
      ([name, row]) =>
        !sourceFiles.some(
          ({ path, text }) => path === `functions/${name}/handler.ts` && wrapped(name, row).test(text),
        ),
    );
    expect(unwrapped.map(([name]) => name)).toEqual([]);
  });
});
