import type { RequestContext } from "./request-context.ts";

/** `$context.error` of a gateway response. */
export type ErrorContext = {
  message: string | null;
  /** The message as JSON, quotes included. */
  messageString: string;
  responseType: string;
};

const requestVariable =
  /^(accountId|apiId|deploymentId|domainName|domainPrefix|extendedRequestId|httpMethod|path|protocol|requestId|requestTime|requestTimeEpoch|resourceId|resourcePath|stage)$/;
const nested =
  /^(authorizer\.[\w-]+|error\.(message|messageString|responseType|validationErrorString)|identity\.(accessKey|accountId|caller|cognitoAuthenticationProvider|cognitoAuthenticationType|cognitoIdentityId|cognitoIdentityPoolId|principalOrgId|sourceIp|user|userAgent|userArn))$/;

/** Whether `$context.<path>` is emulated. One that is may still be without a value in a given request. */
export function isContextVariable(path: string): boolean {
  return isRequestVariable(path) || nested.test(path);
}

/** Whether `$context.<path>` is emulated and has a value in every request whose resource was found. */
export function isRequestVariable(path: string): boolean {
  return requestVariable.test(path);
}

/** The text that stands for `$context.<path>`. Without a value it is empty. */
export function contextVariable(context: RequestContext & { error?: ErrorContext }, path: string): string {
  const value = path.split(".").reduce<unknown>((scope, key) => {
    return typeof scope === "object" && scope !== null && Object.hasOwn(scope, key)
      ? Reflect.get(scope, key)
      : undefined;
  }, context);
  return value === undefined || value === null ? "" : String(value);
}
