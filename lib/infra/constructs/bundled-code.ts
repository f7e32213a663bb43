import { resolve } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import type { OperationName } from "../../operations.ts";

const root = resolve(import.meta.dirname, "../../..");

/**
 * The code of a function: functions/<name>/handler.ts and all it imports as one ES module, with the SDK that was tested
 * rather than the one that the runtime brings that day. Built in this process, since a process for each costs a second.
 */
export function bundledCode(name: OperationName): Code {
  const folder = resolve(root, "functions", name);
  return Code.fromAsset(folder, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("esbuild runs here, never in Docker"),
      local: {
        tryBundle(outputDir) {
          bundle(resolve(folder, "handler.ts"), resolve(outputDir, "index.mjs"));
          return true;
        },
      },
    },
  });
}

function bundle(entryPoint: string, outfile: string): void {
  buildSync({
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // Module first: only ES modules can be shaken, which halves the bundle and so the cold start.
    mainFields: ["module", "main"],
    alias: { "@aws-sdk/credential-provider-node": resolve(root, "lib/aws/lambda-credentials.ts") },
    logLevel: "warning",
  });
}
