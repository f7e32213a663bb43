type DefaultResponse = {
  status: number;
  /** Value of the x-amzn-ErrorType header. */
  errorType: string;
  message: string | null;
  /** Set if the recorded body differs from `{"message":…}`. */
  template?: string;
};

const internal = {
  errorType: "InternalServerErrorException",
  message: "Internal server error",
  template: '{"message": $context.error.messageString}',
};

/** API Gateway's own answers, by the ResponseType of the GatewayResponse resource that can change them. */
export const defaultResponses = {
  ACCESS_DENIED: {
    status: 403,
    errorType: "AccessDeniedException",
    message: "User is not authorized to access this resource",
    template: '{"Message":$context.error.messageString}',
  },
  API_CONFIGURATION_ERROR: { ...internal, status: 500 },
  AUTHORIZER_CONFIGURATION_ERROR: {
    status: 500,
    errorType: "AuthorizerConfigurationException",
    message: null,
  },
  DEFAULT_4XX: { status: 400, errorType: "BadRequestException", message: "Bad Request" },
  DEFAULT_5XX: { ...internal, status: 502 },
  INTEGRATION_FAILURE: { ...internal, status: 500 },
  INTEGRATION_TIMEOUT: { ...internal, status: 504, message: "Endpoint request timed out" },
  INVALID_API_KEY: { status: 403, errorType: "ForbiddenException", message: "Forbidden" },
  INVALID_SIGNATURE: { status: 403, errorType: "IncompleteSignatureException", message: null },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    errorType: "MissingAuthenticationTokenException",
    message: "Missing Authentication Token",
  },
  REQUEST_TOO_LARGE: { status: 413, errorType: "RequestTooLargeException", message: "Request Too Long" },
  THROTTLED: { status: 429, errorType: "TooManyRequestsException", message: "Too Many Requests" },
  UNAUTHORIZED: { status: 401, errorType: "UnauthorizedException", message: "Unauthorized" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    errorType: "BadRequestException",
    message: "Unsupported Media Type",
  },
} as const satisfies Record<string, DefaultResponse>;

export type FailureType = keyof typeof defaultResponses;

/** Types that a template may change, although the runner never raises them. */
const neverRaised = [
  "AUTHORIZER_FAILURE",
  "BAD_REQUEST_BODY",
  "BAD_REQUEST_PARAMETERS",
  "EXPIRED_TOKEN",
  "QUOTA_EXCEEDED",
  "RESOURCE_NOT_FOUND",
  "WAF_FILTERED",
] as const;

export const responseTypes = [...(Object.keys(defaultResponses) as FailureType[]), ...neverRaised];
export type ResponseType = (typeof responseTypes)[number];

/** Ends a request with one of API Gateway's own answers. */
export class GatewayFailure extends Error {
  override readonly name = "GatewayFailure";
  readonly type: FailureType;
  readonly status: number;
  /** Value of `$context.error.message`. */
  readonly clientMessage: string | null;
  /** Reason for the runner's log; the client never sees it. */
  readonly reason: string | undefined;

  constructor(
    type: FailureType,
    options: { status?: number; clientMessage?: string; reason?: string | undefined } = {},
  ) {
    super(options.reason ?? type);
    this.type = type;
    this.status = options.status ?? defaultResponses[type].status;
    this.clientMessage = options.clientMessage ?? defaultResponses[type].message;
    this.reason = options.reason;
  }
}
