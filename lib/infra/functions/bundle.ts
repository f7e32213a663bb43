import { resolve } from "node:path";
import type { BuildOptions } from "esbuild";
import type { OperationName } from "../../operations/operations.ts";

export const root = resolve(import.meta.dirname, "../../..");

/** The entry point of a function's code. */
export const handlerOf = (name: OperationName) => resolve(root, "functions", name, "handler.ts");

/** The file with all of a function's code. */
export const codeFile = "index.mjs";

/** Bundles a handler with its imports, including the tested version of the SDK rather than the runtime's. */
export const bundleOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node24",
  format: "esm",
  // Defines `require`, which CommonJS packages such as undici call for modules of Node.
  banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  // Prefers `module`, which halves the bundle and so the cold start: tree shaking needs ES modules.
  mainFields: ["module", "main"],
  alias: {
    "@aws-sdk/credential-provider-node": resolve(root, "lib/runtime/lambda-credentials.ts"),
    "@aws-sdk/client-lambda": resolve(root, "lib/runtime/invoke-client.ts"),
    "@aws-sdk/client-ssm": resolve(root, "lib/runtime/parameter-client.ts"),
    "@aws-sdk/middleware-endpoint-discovery": resolve(root, "lib/runtime/no-discovery.ts"),
    "node:process": resolve(root, "lib/runtime/process.ts"),
  },
  // Leaves out a module that the SDK imports only for operations that stream events. Functions call no such operations.
  external: ["@smithy/core/event-streams"],
  logLevel: "warning",
} as const satisfies BuildOptions;

/**
 * Makes the first line of a bundle, which sets variables before any code runs. If there are no variables, the line is
 * empty.
 */
export function variablesLine(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(
    ([name, value]) => `process.env.${name}=${JSON.stringify(value)};`,
  );
  return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

/** Finds the line of {@link variablesLine}. A line that does anything else is code, so the result is empty. */
export const variablesLineIn = (code: string): string =>
  /^(?:process\.env\.\w+="(?:[^"\\\n]|\\.)*";)+\n/.exec(code)?.[0] ?? "";
