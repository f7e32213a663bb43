import { join, resolve } from "node:path";
import type { Runner } from "cdk-local-runner";
import { bundleOptions, codeFile, handlerOf } from "../../infra/functions/bundle.ts";
import { type OperationName, operations } from "../../operations.ts";
import { configurationFiles, root } from "../assembly.ts";
import { createBundler, filesOf } from "./bundler.ts";
import { changedStacks, templatesIn } from "./templates.ts";
import { watch } from "./watch.ts";

export type Stacks = {
  /** The folder of the assembly that runs. */
  folder: string;
  /** A folder that is removed with the runner. */
  temporary: string;
  /** Writes an assembly of the current sources to another folder. */
  synthesize(folder: string): Promise<unknown>;
};

/** Watches the code of this product. */
export function watchTerminal(
  runner: Runner,
  { folder: running, temporary, synthesize }: Stacks,
  say: (text: string) => void,
): Promise<AsyncDisposable> {
  const names = Object.keys(operations) as OperationName[];
  const functions = runner.functions.map(({ name }) => name);
  const before = templatesIn(running);
  return watch({
    functions: new Map(names.map((name) => [name, functionOf(functions, name)])),
    bundler: createBundler(
      root,
      Object.fromEntries(names.map((name) => [name, handlerOf(name)])),
      bundleOptions,
    ),
    codeFile,
    temporary,
    stacks: {
      async files() {
        const code = await filesOf(root, resolve(root, "bin/app.ts"));
        return new Set([...code, ...configurationFiles.map((name) => resolve(root, name))]);
      },
      async changed() {
        const folder = join(temporary, "stacks");
        await synthesize(folder);
        return changedStacks(before, templatesIn(folder));
      },
    },
    runner,
    say,
  });
}

/**
 * The name of a row's function on this machine.
 *
 * @param functions the names of all functions. CDK derives each from the row's construct, `<row>/Function`.
 */
export function functionOf(functions: readonly string[], row: string): string {
  const found = functions.find((name) => new RegExp(`-${row}Function[0-9A-F]{8}$`).test(name));
  if (found === undefined) throw new Error(`The stacks have no function for ${row}`);
  return found;
}
