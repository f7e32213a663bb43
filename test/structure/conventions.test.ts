import { describe, expect, it } from "vitest";
import { errorName } from "../../lib/core/service-error.ts";
import { operationsOf } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { isIn, productFiles, sourceFiles } from "./source-files.ts";

const exportPattern =
  /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|type|interface) (?:\{([^}]*)\}|(\w+))/gm;

const exportsOf = (text: string) =>
  [...text.matchAll(exportPattern)].flatMap(([, several, one]) =>
    several === undefined ? [one as string] : several.split(",").map((name) => name.trim()),
  );

/** Names that several files use, with those files. */
function clashes(files: typeof productFiles, namesOf: (file: (typeof productFiles)[number]) => string[]) {
  const uses = files.flatMap((file) =>
    [...new Set(namesOf(file))].map((name) => ({ name, path: file.path })),
  );
  const byName = Map.groupBy(uses, ({ name }) => name);
  return [...byName]
    .filter(([, { length }]) => length > 1)
    .map(([name, files]) => `${name}: ${files.map(({ path }) => path).join(", ")}`);
}

const families = ["evm", "sol"];

const exportsIn = (folders: readonly string[]) =>
  productFiles
    .filter(({ path }) => folders.some((folder) => isIn(folder, path)))
    .flatMap(({ text }) => exportsOf(text));

/** Removes the mark of a family from a name, as in `SolSlot`, `solSlots` and `isFinalSol`. */
const unmarked = (name: string) =>
  name
    .replace(/^(evm|sol)([A-Z])/, (_, __, first: string) => first.toLowerCase())
    .replace(/(Evm|Sol)(?![a-z])/, "");

/** Lists, for each family, the names without its mark that the core or another family also uses. */
function missingMarks(core: readonly string[], namesOf: (family: string) => readonly string[]): string[] {
  const general = new Set(core.flatMap((name) => [name, name.replace(/Terms$/, "")]));
  return families.flatMap((family) => {
    const others = families.filter((other) => other !== family).flatMap(namesOf);
    const taken = new Set(others.filter((name) => unmarked(name) !== name).map(unmarked));
    return namesOf(family).filter((name) => general.has(name) || taken.has(name));
  });
}

/** Methods of classes and of the types that classes implement, by the name of the class or type. */
function methodsOf(files: typeof productFiles): Map<string, ReadonlySet<string>> {
  const implemented = new Set(
    files.flatMap(({ text }) =>
      [...text.matchAll(/^(?:export )?class .* implements (.+) \{$/gm)].flatMap(([, names = ""]) =>
        names.split(", "),
      ),
    ),
  );
  const bodies = files.flatMap(({ text }) => [
    ...text.matchAll(/^(?:export )?(class|type) (\w+)[^\n]*\{\n([\s\S]*?)^\};?$/gm),
  ]);
  return new Map(
    bodies
      .filter(([, kind, name = ""]) => kind === "class" || implemented.has(name))
      .map(([, , name = "", body = ""]) => [
        name,
        new Set([...body.matchAll(/^ {2}(?:async )?\*?(\w+)(?:<.*>)?\(/gm)].map(([, method = ""]) => method)),
      ]),
  );
}

/** Lists the methods that parameters detach from objects of classes, which loses their \`this\`. */
function methodsTakenOff(files: typeof productFiles): string[] {
  const methods = methodsOf(files);
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/\{([^{}]*)\}: (?:Pick|Omit|Readonly|Partial|Required)<(\w+)/g)].flatMap(
      ([, bound = "", type = ""]) =>
        bound
          .split(",")
          .map((each) => each.split(":")[0]?.trim() ?? "")
          .filter((name) => methods.get(type)?.has(name))
          .map((name) => `${path}: ${name} of ${type}`),
    ),
  );
}

describe("the source", () => {
  // Covers types that the linter cannot resolve.
  it("never detaches a method from an object whose parameter type is a Pick or similar", () => {
    expect(methodsTakenOff(productFiles)).toEqual([]);
    const file = (text: string) => ({ path: "a.ts", text, imports: [] });
    const types =
      "type Reads = {\n  read(): void;\n  name: string;\n};\nclass A implements Reads {\n  read() {}\n}\n";
    const taking =
      "const f = ({ read, name }: Pick<Reads, 'read'>) => {};\nconst g = ({ read: r }: Readonly<A>) => r();";
    expect(methodsTakenOff([file(types + taking)])).toEqual(["a.ts: read of Reads", "a.ts: read of A"]);
  });

  it("derives all errors outside the tools from one base, and names classes with a single code after it", () => {
    const service = productFiles.filter(({ path }) => !path.startsWith("lib/tools/"));
    const ofOwnKind = service.filter(({ text }) => /^(?:export )?class .* extends Error\b/m.test(text));
    expect(ofOwnKind.map(({ path }) => path)).toEqual(["lib/core/service-error.ts"]);
    const coded = service.flatMap(({ text }) => [
      ...text.matchAll(/^export class (\w+) extends ServiceError \{\n {2}override readonly code = "(\w+)"/gm),
    ]);
    expect(coded.map(([, , code = ""]) => errorName(code))).toEqual(coded.map(([, name]) => name));
    expect(coded.length).toBeGreaterThan(10);
  });

  it("exports no name from two files of the product, except handlers, programs and schemas of operations", () => {
    // Handlers import the schemas of a subject under one name, as in `schemas.listWallets`.
    const others = productFiles.filter(({ path }) => !/^lib\/api\/\w+-operations\.ts$/.test(path));
    expect(
      clashes(others, ({ text }) => exportsOf(text).filter((name) => !["handler", "main"].includes(name))),
    ).toEqual([]);
  });

  it("marks the names of a family that the core or another family has as well", () => {
    const namesOf = (family: string) => exportsIn([`lib/chains/${family}`, `lib/markets/${family}`]);
    expect(missingMarks(exportsIn(["lib/orders"]), namesOf)).toEqual([]);
    const names: Record<string, string[]> = {
      evm: ["Slot", "Intent", "nextMove", "EvmRoute", "Nonce"],
      sol: ["SolIntent", "nextSolMove", "solRoutes", "Route"],
    };
    expect(missingMarks(["SlotTerms"], (family) => names[family] ?? [])).toEqual([
      ...["Slot", "Intent", "nextMove"],
      "Route",
    ]);
  });

  it("wraps functions that no client waits for, and wraps those inside the VPC with `walled`", () => {
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
