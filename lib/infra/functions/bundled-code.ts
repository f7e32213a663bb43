import { dirname, resolve } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import type { OperationName } from "../../operations.ts";
import { bundleOptions, codeFile, handlerOf } from "./bundle.ts";

/** The code of a function. Bundled in this process, since a process for each function costs a second. */
export function bundledCode(name: OperationName): Code {
  const entryPoint = handlerOf(name);
  return Code.fromAsset(dirname(entryPoint), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("esbuild runs here, never in Docker"),
      local: {
        tryBundle(outputDir) {
          const outfile = resolve(outputDir, codeFile);
          buildSync({ ...bundleOptions, entryPoints: [entryPoint], outfile });
          return true;
        },
      },
    },
  });
}
