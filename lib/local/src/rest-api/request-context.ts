import { account } from "../account.ts";
import { type GatewayRequest, header } from "../http/messages.ts";

/** An authorizer's context, as functions and templates see it. */
export type AuthorizerContext = {
  principalId: string;
  integrationLatency: number;
  [key: string]: string | number;
};

/** Identity fields that AWS sets only for callers with IAM credentials or a Cognito identity. */
const unknownIdentity = {
  accessKey: null,
  accountId: null,
  caller: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/** The `requestContext` of events and the `$context` of templates. */
export type RequestContext = {
  accountId: string;
  apiId: string;
  authorizer?: AuthorizerContext;
  deploymentId: string;
  domainName: string;
  domainPrefix: string;
  extendedRequestId: string;
  httpMethod: string;
  identity: typeof unknownIdentity & {
    sourceIp: string;
    userAgent: string | null;
    /** Value and id of the caller's API key, only for a method that requires one. */
    apiKey?: string;
    apiKeyId?: string;
  };
  path: string;
  protocol: "HTTP/1.1";
  requestId: string;
  /** Time of the request, for example `21/Nov/2026:09:14:00 +0000`. */
  requestTime: string;
  /** Milliseconds since the epoch. */
  requestTimeEpoch: number;
  /** Empty until the resource is found, like `resourcePath`. */
  resourceId: string;
  /** Path of the resource, for example `/pets/{id}`. */
  resourcePath: string;
  stage: string;
};

/** Parts of an API that appear in a request's context. */
export type DeployedApi = { apiId: string; stage: { name: string; deploymentId: string } };

type RequestIds = { requestId: string; extendedRequestId: string; traceId: string };

/**
 * Makes the ids of a request in AWS's formats.
 *
 * @param newId makes a UUID
 */
export function newRequestIds(now: Date, newId: () => string): RequestIds {
  const hex = () => newId().replaceAll("-", "");
  const seconds = Math.floor(now.getTime() / 1000);
  return {
    requestId: newId(),
    extendedRequestId: Buffer.from(hex().slice(0, 22), "hex").toString("base64"),
    traceId: `Root=1-${seconds.toString(16).padStart(8, "0")}-${hex().slice(0, 24)}`,
  };
}

/** Builds the context of a request before its resource is known. */
export function requestContext(
  request: GatewayRequest,
  rawPath: string,
  api: DeployedApi,
  ids: Omit<RequestIds, "traceId">,
  now: Date,
): RequestContext {
  const domainName = header(request, "host") ?? "";
  return {
    accountId: account.id,
    apiId: api.apiId,
    deploymentId: api.stage.deploymentId,
    domainName,
    domainPrefix: domainName.split(".", 1)[0] ?? "",
    httpMethod: request.method,
    identity: {
      ...unknownIdentity,
      sourceIp: request.sourceIp,
      userAgent: header(request, "user-agent") ?? null,
    },
    path: `/${api.stage.name}${rawPath}`,
    protocol: "HTTP/1.1",
    requestTime: commonLogTime(now),
    requestTimeEpoch: now.getTime(),
    resourceId: "",
    resourcePath: "",
    stage: api.stage.name,
    ...ids,
  };
}

export function commonLogTime(now: Date): string {
  const [, day, month, year, time] = now.toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Value of `$context.error` in a gateway response. */
export type ErrorContext = {
  message: string | null;
  /** Error message as JSON, with its quotes. */
  messageString: string;
  responseType: string;
};

const requestVariable =
  /^(accountId|apiId|deploymentId|domainName|domainPrefix|extendedRequestId|httpMethod|path|protocol|requestId|requestTime|requestTimeEpoch|resourceId|resourcePath|stage)$/;
const nested =
  /^(authorizer\.[\w-]+|error\.(message|messageString|responseType|validationErrorString)|identity\.(accessKey|accountId|caller|cognitoAuthenticationProvider|cognitoAuthenticationType|cognitoIdentityId|cognitoIdentityPoolId|principalOrgId|sourceIp|user|userAgent|userArn))$/;

/** True if `$context.<path>` is emulated. It may have no value in some requests. */
export function isContextVariable(path: string): boolean {
  return isRequestVariable(path) || nested.test(path);
}

/** True if `$context.<path>` is emulated and has a value in every request whose resource was found. */
export function isRequestVariable(path: string): boolean {
  return requestVariable.test(path);
}

/** Reads `$context.<path>` as text; empty if it has no value. */
export function contextVariable(context: RequestContext & { error?: ErrorContext }, path: string): string {
  const value = path.split(".").reduce<unknown>((scope, key) => {
    return typeof scope === "object" && scope !== null && Object.hasOwn(scope, key)
      ? Reflect.get(scope, key)
      : undefined;
  }, context);
  return value === undefined || value === null ? "" : String(value);
}
