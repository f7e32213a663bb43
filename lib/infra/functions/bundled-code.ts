import { writeFileSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync, type Metafile } from "esbuild";
import { type OperationName, operations } from "../../operations/operations.ts";
import { bundleOptions, codeFile, handlerOf, root, variablesLine } from "./bundle.ts";
import { placesFile, placesMapOf, type Sources } from "./places.ts";

/** The code of a function, esbuild's source map of it, and esbuild's report about its contents. */
type Bundle = { text: string; map: string; contents: Metafile["outputs"][string] };

/** Folder that no bundle is written to, and to which the sources of the maps are relative. */
const folder = resolve(root, "bundles");

/** Makes all bundles in a single run, so that esbuild reads shared imports once. */
let bundles: ReadonlyMap<string, Bundle> | undefined;

/** The bundle of a function. */
export function bundleOf(name: OperationName): Bundle {
  bundles ??= bundleAll(Object.keys(operations) as OperationName[]);
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`esbuild has made no bundle of ${name}`);
  return bundle;
}

function bundleAll(names: readonly OperationName[]): Map<string, Bundle> {
  const { outputFiles, metafile } = buildSync({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [name, handlerOf(name)])),
    outdir: folder,
    write: false,
    metafile: true,
    // Writes the maps next to the code, which does not mention them, because Node would read them at each start.
    sourcemap: "external",
    sourcesContent: false,
  });
  const textOf = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return new Map(
    Object.entries(metafile.outputs).flatMap(([path, contents]) => {
      const file = basename(path);
      const text = textOf.get(file);
      const map = textOf.get(`${file}.map`);
      if (text === undefined || map === undefined) return [];
      return [[basename(file, extname(file)), { text, map, contents }] as const];
    }),
  );
}

const read: Sources = new Map();

/** Maps that were made. All of them take two seconds, and programs ask for them repeatedly. */
const madeMaps = new Map<string, string>();

/** The small source map next to the code of a function, whose code starts with this text of whole lines. */
export function placesTextOf(name: OperationName, head: string): string {
  const key = `${name} ${head}`;
  const { text, map } = bundleOf(name);
  const made = madeMaps.get(key) ?? placesMapOf({ code: text, map }, { root, folder, head, read });
  madeMaps.set(key, made);
  return made;
}

/** Bundles the code of a function in this process, because one process per function would cost a second each. */
export function bundledCode(name: OperationName, variables: Readonly<Record<string, string>>): Code {
  const entryPoint = handlerOf(name);
  return Code.fromAsset(dirname(entryPoint), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("esbuild runs in this process, never in Docker"),
      local: {
        tryBundle(outputDir) {
          const head = variablesLine(variables);
          writeFileSync(resolve(outputDir, codeFile), head + bundleOf(name).text);
          writeFileSync(resolve(outputDir, placesFile), placesTextOf(name, head));
          return true;
        },
      },
    },
  });
}
