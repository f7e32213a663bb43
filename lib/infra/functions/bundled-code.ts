import { writeFileSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import { type OperationName, operations } from "../../operations/operations.ts";
import { bundleOptions, codeFile, handlerOf, variablesLine } from "./bundle.ts";

/** The text of each bundle. esbuild makes them together, so it reads shared imports once. */
let bundles: ReadonlyMap<string, string> | undefined;

function bundleOf(name: OperationName): string {
  bundles ??= bundleAll(Object.keys(operations) as OperationName[]);
  const bundle = bundles.get(name);
  if (bundle === undefined) throw new Error(`esbuild has made no bundle of ${name}`);
  return bundle;
}

function bundleAll(names: readonly OperationName[]): Map<string, string> {
  const { outputFiles } = buildSync({
    ...bundleOptions,
    entryPoints: Object.fromEntries(names.map((name) => [name, handlerOf(name)])),
    outdir: "bundles",
    write: false,
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path, extname(path)), text]));
}

/** Bundles the code of a function in this process: one process per function would cost a second each. */
export function bundledCode(name: OperationName, variables: Readonly<Record<string, string>>): Code {
  const entryPoint = handlerOf(name);
  return Code.fromAsset(dirname(entryPoint), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("esbuild runs in this process, never in Docker"),
      local: {
        tryBundle(outputDir) {
          writeFileSync(resolve(outputDir, codeFile), variablesLine(variables) + bundleOf(name));
          return true;
        },
      },
    },
  });
}
