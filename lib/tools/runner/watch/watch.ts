import {
  type FSWatcher,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch as watchFolder,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import type { Runner } from "cdk-local-runner";
import { type BuildFailure, formatMessages } from "esbuild";
import type { Bundle, Bundler } from "./bundler.ts";

export type Watch = {
  /** Names of the functions in the runner, by their names in the bundler. */
  functions: ReadonlyMap<string, string>;
  bundler: Bundler;
  /** File of a bundle that contains the code. */
  codeFile: string;
  /** Returns the first line of the running code, which new code must keep because bundles lack it. */
  headOf: (code: string) => string;
  /** Writes the file next to the code from which Node takes the places of faults. */
  places: { file: string; textOf: (bundle: Bundle, head: string) => string };
  /** Folder for new code. The runner removes it after its last process has ended. */
  temporary: string;
  stacks: WatchedStacks;
  runner: Pick<Runner, "functions" | "replaceCode">;
  /** Prints one or more lines. */
  say: (text: string) => void;
};

type WatchedStacks = {
  /** Lists the files that the synthesis reads. */
  files(): Promise<ReadonlySet<string>>;
  /**
   * Synthesizes the stacks again.
   *
   * @returns the names of stacks that have changed since the start
   */
  changed(): Promise<readonly string[]>;
};

/** Waits a moment after a change, because editors save a file in several steps. */
const settleMs = 30;

/**
 * Gives the runner new code for each function that contains a saved file. If a file has errors, reports them and keeps
 * the old code. Resolves once files are being watched.
 */
export async function watch(options: Watch): Promise<AsyncDisposable> {
  const { bundler, stacks, say } = options;
  const names = [...options.functions.keys()];
  const replace = replacer(options);
  const folders = watchedFolders(onSave);
  const saved = new Set<string>();
  /** Functions whose last build failed. They are built again after any change. */
  let failed: readonly string[] = names;
  let stackFiles: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const updates = oneAtATime(update);
  const checks = oneAtATime(check);
  await updates.run();
  say("Watching for changes.");

  function onSave(path: string): void {
    const known = stackFiles.has(path) || names.some((name) => bundler.inputsOf(name).has(path));
    if (!known && failed.length === 0) return;
    saved.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => void updates.run(), settleMs);
  }

  async function update(): Promise<void> {
    const since = Date.now();
    const files = [...saved];
    saved.clear();
    await rebuild(names.filter((name) => failed.includes(name) || contains(name, files)));
    if (files.some((file) => stackFiles.has(file))) void checks.run();
    // Keeps the previous list of files if the stacks have an error.
    stackFiles = await stacks.files().catch(() => stackFiles);
    const inputs = [...stackFiles, ...names.flatMap((name) => [...bundler.inputsOf(name)])];
    if (!stopped) folders.observe(inputs, since);
  }

  function contains(name: string, files: readonly string[]): boolean {
    return files.some((file) => bundler.inputsOf(name).has(file));
  }

  async function rebuild(affected: readonly string[]): Promise<void> {
    try {
      const bundles = affected.length === 0 ? new Map<string, Bundle>() : await bundler.bundle(affected);
      failed = [];
      const replaced = [...bundles].flatMap(([name, bundle]) =>
        !stopped && replace(name, bundle) ? [name] : [],
      );
      if (replaced.length > 0) say(`New code: ${replaced.join(", ")}`);
    } catch (error) {
      failed = affected;
      say(await explain(error));
    }
  }

  async function check(): Promise<void> {
    try {
      const changed = await stacks.changed();
      if (changed.length > 0)
        say(`The template of ${changed.join(" and ")} has changed: restart npm run dev to apply it.`);
    } catch (error) {
      if (!stopped) say(error instanceof Error ? error.message : String(error));
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearTimeout(timer);
      folders.close();
      await updates.idle();
    },
  };
}

/** Gives functions new code. Returns false if a function already runs this code. */
function replacer({ functions, codeFile, headOf, places, temporary, runner }: Watch) {
  const folders = new Map(runner.functions.map(({ name, codeFolder }) => [name, codeFolder]));
  let builds = 0;
  return (name: string, bundle: Bundle): boolean => {
    const functionName = functions.get(name) ?? name;
    const old = folders.get(functionName) ?? "";
    const running = readFileSync(join(old, codeFile), "utf8");
    const head = headOf(running);
    const code = head + bundle.code;
    if (running === code) return false;
    const folder = join(temporary, `${name}-${++builds}`);
    mkdirSync(folder);
    writeFileSync(join(folder, codeFile), code);
    writeFileSync(join(folder, places.file), places.textOf(bundle, head));
    folders.set(functionName, folder);
    void runner.replaceCode(functionName, folder).then(() => {
      if (old.startsWith(temporary)) rmSync(old, { recursive: true, force: true });
    });
    return true;
  };
}

/** Watches folders for saved files. */
function watchedFolders(onSave: (path: string) => void) {
  const watchers = new Map<string, FSWatcher>();
  return {
    /** Watches the folders of these files. Also notices files that were saved before their folder was watched. */
    observe(files: readonly string[], since: number): void {
      const unwatched = files.filter((file) => !watchers.has(dirname(file)));
      for (const folder of new Set(unwatched.map((file) => dirname(file)))) {
        const watcher = watchFolder(folder, (_, name) => name !== null && onSave(join(folder, name)));
        // Ignores a deleted folder. After the next successful build, its files are no longer inputs.
        watcher.on("error", () => watcher.close());
        watchers.set(folder, watcher);
      }
      for (const file of unwatched)
        if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since) onSave(file);
    },
    close(): void {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

async function explain(error: unknown): Promise<string> {
  const { errors } = error as BuildFailure;
  if (errors === undefined) return inspect(error);
  const [first = ""] = await formatMessages(errors.slice(0, 1), { kind: "error" });
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more errors)` : "";
  return `${first.trimEnd()}\nThe old code keeps serving${more}.`;
}

/** Runs an action, and once more if it was requested during the run. The action never runs twice at the same time. */
function oneAtATime(action: () => Promise<void>) {
  let current: Promise<void> | undefined;
  let again = false;
  const loop = async () => {
    do {
      again = false;
      await action();
    } while (again);
    current = undefined;
  };
  return {
    run(): Promise<void> {
      if (current !== undefined) again = true;
      current ??= loop();
      return current;
    },
    idle: async () => current,
  };
}
