import { join, resolve } from "node:path";
import type { Runner } from "cdk-local-runner";
import {
  bundleOptions,
  codeFile,
  handlerOf,
  root,
  variablesLineIn,
} from "../../../infra/functions/bundle.ts";
import { placesFile, placesMapOf } from "../../../infra/functions/places.ts";
import { type OperationName, operations } from "../../../operations/operations.ts";
import { configurationFiles } from "../assembly.ts";
import { createBundler, filesOf } from "./bundler.ts";
import { changedStacks, templatesIn } from "./templates.ts";
import { type Watch, watch } from "./watch.ts";

export type Stacks = {
  /** Folder of the running assembly. */
  folder: string;
  /** Folder that is removed when the runner stops. */
  temporary: string;
  /** Writes an assembly of the current sources to another folder. */
  synthesize: (folder: string) => Promise<unknown>;
};

/** Logs of reloaded code name the places of faults, too. Reads each source again, because it may have changed. */
export const places: Watch["places"] = {
  file: placesFile,
  textOf: (bundle, head) => placesMapOf(bundle, { root, folder: root, head }),
};

/** Watches the code of this product. */
export function watchTerminal(
  runner: Runner,
  { folder, temporary, synthesize }: Stacks,
  say: (text: string) => void,
): Promise<AsyncDisposable> {
  const running = runner.functions.map(({ name }) => name);
  const functions = new Map(
    (Object.keys(operations) as OperationName[]).flatMap((name) => {
      const found = functionOf(running, name);
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
  const before = templatesIn(folder);
  return watch({
    functions,
    bundler: createBundler(
      root,
      Object.fromEntries([...functions.keys()].map((name) => [name, handlerOf(name)])),
      bundleOptions,
    ),
    codeFile,
    headOf: variablesLineIn,
    places,
    temporary,
    stacks: {
      async files() {
        const code = await filesOf(root, resolve(root, "bin/app.ts"));
        return new Set([...code, ...configurationFiles.map((name) => resolve(root, name))]);
      },
      async changed() {
        const next = join(temporary, "stacks");
        await synthesize(next);
        return changedStacks(before, templatesIn(next));
      },
    },
    runner,
    say,
  });
}

/**
 * Finds the local name of a row's function. Returns undefined if the function is not deployed.
 *
 * @param functions Names of all functions. CDK derives each name from the row's construct, `<row>/Function`.
 */
export const functionOf = (functions: readonly string[], row: string): string | undefined =>
  functions.find((name) => new RegExp(`-${row}Function[0-9A-F]{8}$`).test(name));
