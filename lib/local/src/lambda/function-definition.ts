import * as v from "valibot";
import type { Credentials, Endpoints } from "../account.ts";
import { account } from "../account.ts";
import type { Assembly } from "../cloudformation/assembly.ts";
import { namedProperties, type Resource } from "../cloudformation/resource.ts";
import { functionArn, functionName } from "../cloudformation/resource-types.ts";
import { StartupError } from "../startup-error.ts";
import { type LogFormat, type LogLevel, logLevels } from "./sandbox/log.ts";

/** A function as described by its template. */
export type FunctionDefinition = {
  name: string;
  arn: string;
  roleArn: string;
  codeFolder: string;
  handler: string;
  runtime: string;
  memoryMB: number;
  timeoutSeconds: number;
  variables: Record<string, string>;
  log: { format: LogFormat; level: LogLevel; group: string };
  /** Subnets of its VPC. Empty outside of a VPC. */
  subnetIds: readonly string[];
};

const absent = (subject: string) => v.undefined(`${subject} is not emulated`);

/** Lambda measures a function's variables as JSON. */
const VARIABLES_LIMIT_BYTES = 4096;

const Properties = v.object({
  Code: v.object({ S3Key: v.string("must be an asset") }),
  Role: v.string(),
  Handler: v.string(),
  Runtime: v.pipe(v.string(), v.regex(/^nodejs\d+\.x$/, "must be a Node.js runtime")),
  MemorySize: v.optional(v.number(), 128),
  Timeout: v.optional(v.number(), 3),
  Environment: v.optional(
    v.object({
      Variables: v.optional(
        v.pipe(
          v.record(v.string(), v.pipe(v.unknown(), v.transform(String))),
          v.check(
            (variables) => Buffer.byteLength(JSON.stringify(variables)) <= VARIABLES_LIMIT_BYTES,
            `variables may have at most ${VARIABLES_LIMIT_BYTES} bytes`,
          ),
        ),
        {},
      ),
    }),
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
  VpcConfig: v.optional(v.object({ SubnetIds: v.optional(v.array(v.string()), []) }), {}),
  Layers: v.optional(absent("a layer")),
});

/**
 * Reads functions.
 * @throws {StartupError} if a sandbox lacks anything that the function needs
 */
export function defineFunction(resource: Resource, { assetFolder }: Assembly): FunctionDefinition {
  const at = `${resource.stackName}.Resources.${resource.logicalId}`;
  const parsed = v.safeParse(Properties, namedProperties(resource, Properties));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new StartupError(`${at}.Properties.${v.getDotPath(issue)}: ${issue.message}`);
  }

  const { Code, Role, Handler, Runtime, MemorySize, Timeout, Environment, LoggingConfig, VpcConfig } =
    parsed.output;
  const codeFolder = assetFolder(Code.S3Key);
  if (codeFolder === undefined) throw new StartupError(`${at}: there is no asset ${Code.S3Key}`);
  const name = functionName(resource);
  return {
    name,
    arn: functionArn(resource),
    roleArn: Role,
    codeFolder,
    handler: Handler,
    runtime: Runtime,
    memoryMB: MemorySize,
    timeoutSeconds: Timeout,
    variables: Environment.Variables,
    log: {
      format: LoggingConfig.LogFormat,
      // Applies levels only to the JSON format. The Text format keeps every line.
      level: LoggingConfig.LogFormat === "JSON" ? LoggingConfig.ApplicationLogLevel : "TRACE",
      group: LoggingConfig.LogGroup ?? `/aws/lambda/${name}`,
    },
    subnetIds: VpcConfig.SubnetIds,
  };
}

/**
 * Builds the whole `process.env` of a function: the variables of its template, those that Lambda reserves, and the
 * addresses of the local services. It contains nothing of this machine's environment.
 */
export function sandboxEnvironment(
  definition: FunctionDefinition,
  endpoints: Endpoints,
  credentials: Credentials,
): Record<string, string> {
  return {
    ...definition.variables,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_API_GATEWAY: endpoints.apigateway,
    AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: endpoints.apigatewaymanagementapi,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventbridge,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_SSM: endpoints.ssm,
    // Makes calls to any other service fail on this machine instead of reaching AWS.
    AWS_ENDPOINT_URL: endpoints.lambda,
    AWS_EXECUTION_ENV: `AWS_Lambda_${definition.runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMB),
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_REGION: account.region,
    // Names no address, as Lambda always does, so that code can tell this machine from AWS. No template can contain it.
    AWS_LAMBDA_RUNTIME_API: "local",
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    LAMBDA_TASK_ROOT: definition.codeFolder,
    TZ: ":UTC",
    _HANDLER: definition.handler,
  };
}
