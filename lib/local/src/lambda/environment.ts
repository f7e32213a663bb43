import { account } from "../account.ts";
import type { Credentials, Endpoints } from "../endpoints.ts";
import type { FunctionDefinition } from "./function-definition.ts";

/**
 * Everything a function finds in `process.env`: what its template says, what Lambda reserves, and where the SDK finds
 * the local services. Nothing of this machine.
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
    // Whatever else a function calls is refused on this machine instead of reaching AWS.
    AWS_ENDPOINT_URL: endpoints.lambda,
    AWS_EXECUTION_ENV: `AWS_Lambda_${definition.runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memorySize),
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_REGION: account.region,
    LAMBDA_TASK_ROOT: definition.codeFolder,
    TZ: ":UTC",
    _HANDLER: definition.handler,
  };
}
