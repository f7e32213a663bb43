import { basename, extname, resolve } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";

/** Code, and esbuild's source map of it. Its sources are relative to the root. */
export type Bundle = { code: string; map: string };

export type Bundler = {
  /** Lists the files from which the function's code was last bundled. Packages are left out. */
  inputsOf(name: string): ReadonlySet<string>;
  /**
   * Bundles the code of these functions.
   *
   * @throws BuildFailure of esbuild, with all errors of all files
   */
  bundle(names: readonly string[]): Promise<ReadonlyMap<string, Bundle>>;
};

/**
 * Bundles handlers, and knows the files of each handler.
 *
 * @param root Absolute path. The entry points, given by function name, are absolute as well.
 */
export function createBundler(
  root: string,
  handlers: Readonly<Record<string, string>>,
  options: BuildOptions,
): Bundler {
  const inputs = new Map<string, ReadonlySet<string>>();

  return {
    inputsOf: (name) => inputs.get(name) ?? new Set(),
    async bundle(names) {
      const { metafile, outputFiles } = await build({
        ...options,
        absWorkingDir: root,
        entryPoints: names.map((name) => ({ in: handlers[name] ?? name, out: name })),
        outdir: root,
        write: false,
        metafile: true,
        sourcemap: "external",
        sourcesContent: false,
        logLevel: "silent",
      });
      for (const name of names) inputs.set(name, reachable(metafile, root, handlers[name] ?? name));
      const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
      return new Map(
        [...texts].flatMap(([file, code]) => {
          const map = texts.get(`${file}.map`);
          return map === undefined ? [] : [[basename(file, extname(file)), { code, map }] as const];
        }),
      );
    },
  };
}

/** Lists the files of a program. Packages and imports of types are left out. */
export async function filesOf(root: string, entryPoint: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return reachable(metafile, root, entryPoint);
}

/**
 * Lists all files that the entry point imports, used or not. A file that esbuild drops now may be used after the next
 * change.
 */
function reachable({ inputs }: Metafile, root: string, entryPoint: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    const input = inputs[path];
    if (input === undefined || found.has(resolve(root, path))) return;
    found.add(resolve(root, path));
    for (const imported of input.imports) visit(imported.path);
  };
  visit(entryPoint.slice(root.length + 1));
  return new Set([...found].filter((path) => !path.includes("/node_modules/")));
}
