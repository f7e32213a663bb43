import * as v from "valibot";
import type { Assembly } from "../cloudformation/assembly.ts";
import type { Resource } from "../cloudformation/resource-type.ts";
import { functionArn, functionName } from "../cloudformation/resources/lambda-function.ts";
import { StartupError } from "../startup-error.ts";
import { type LogFormat, type LogLevel, logLevels } from "./sandbox/log-format.ts";

/** A function as its template describes it. `memorySize` is in MB, `timeout` in seconds. */
export type FunctionDefinition = {
  name: string;
  arn: string;
  codeFolder: string;
  handler: string;
  runtime: string;
  memorySize: number;
  timeout: number;
  variables: Record<string, string>;
  log: { format: LogFormat; level: LogLevel; group: string };
};

const absent = (what: string) => v.undefined(`${what} is not emulated`);

const Properties = v.object({
  Code: v.object({ S3Key: v.string("must be an asset") }),
  Handler: v.string(),
  Runtime: v.pipe(v.string(), v.regex(/^nodejs\d+\.x$/, "must be a Node.js runtime")),
  MemorySize: v.optional(v.number(), 128),
  Timeout: v.optional(v.number(), 3),
  Environment: v.optional(
    v.object({ Variables: v.optional(v.record(v.string(), v.pipe(v.unknown(), v.transform(String))), {}) }),
    {},
  ),
  LoggingConfig: v.optional(
    v.object({
      LogFormat: v.optional(v.picklist(["JSON", "Text"]), "Text"),
      ApplicationLogLevel: v.optional(v.picklist(logLevels), "INFO"),
      LogGroup: v.optional(v.string()),
    }),
    {},
  ),
  Layers: v.optional(absent("a layer")),
});

/** @throws StartupError when the function needs what a sandbox does not have */
export function defineFunction(resource: Resource, { assetFolder }: Assembly): FunctionDefinition {
  const at = `${resource.stackName}.Resources.${resource.logicalId}`;
  const stated = Object.fromEntries(
    Object.keys(Properties.entries).map((name) => [name, resource.property(name)]),
  );
  const parsed = v.safeParse(Properties, stated);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new StartupError(`${at}.Properties.${v.getDotPath(issue)}: ${issue.message}`);
  }

  const { Code, Handler, Runtime, MemorySize, Timeout, Environment, LoggingConfig } = parsed.output;
  const codeFolder = assetFolder(Code.S3Key);
  if (codeFolder === undefined) throw new StartupError(`${at}: there is no asset ${Code.S3Key}`);
  const name = functionName(resource);
  return {
    name,
    arn: functionArn(resource),
    codeFolder,
    handler: Handler,
    runtime: Runtime,
    memorySize: MemorySize,
    timeout: Timeout,
    variables: Environment.Variables,
    log: {
      format: LoggingConfig.LogFormat,
      // Levels are a feature of the JSON format; text lets everything through.
      level: LoggingConfig.LogFormat === "JSON" ? LoggingConfig.ApplicationLogLevel : "TRACE",
      group: LoggingConfig.LogGroup ?? `/aws/lambda/${name}`,
    },
  };
}
