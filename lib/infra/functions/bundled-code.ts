import { writeFileSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync, type Metafile } from "esbuild";
import { type OperationName, operations } from "../../operations/operations.ts";
import { bundleOptions, codeFile, handlerOf, variablesLine } from "./bundle.ts";

type Bundle = { text: string; contents: Metafile["outputs"][string] };

/** Makes all bundles in a single run, so that esbuild reads shared imports once. */
let bundles: ReadonlyMap<string, Bundle> | undefined;

/** The bundle of a function, and esbuild's report about its contents. */
export function bundleOf(name: OperationName): Bundle {
  bundles ??= bundleAll(Object.keys(operations) as OperationName[]);
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`esbuild has made no bundle of ${name}`);
  return bundle;
}

function bundleAll(names: readonly OperationName[]): Map<string, Bundle> {
  const { outputFiles, metafile } = buildSync({
    ...bundleOptions,
    entryPoints: Object.fromEntries(names.map((name) => [name, handlerOf(name)])),
    outdir: "bundles",
    write: false,
    metafile: true,
  });
  const nameOf = (path: string) => basename(path, extname(path));
  const contents = new Map(Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output]));
  return new Map(
    outputFiles.map(({ path, text }) => {
      const name = nameOf(path);
      return [name, { text, contents: contents.get(name) as Bundle["contents"] }];
    }),
  );
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
          writeFileSync(resolve(outputDir, codeFile), variablesLine(variables) + bundleOf(name).text);
          return true;
        },
      },
    },
  });
}
