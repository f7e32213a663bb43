/** A response before its types are known. `lib/client/rest-types.ts` has the types of each operation. */
export type AnyError = {
  status: number;
  code: string;
  message: string;
  details?: unknown;
  needsRefresh?: true;
  retryAfterSeconds?: number;
  cause?: unknown;
};

export type AnyAnswer =
  | { data: unknown; error?: undefined; headers: Headers }
  | { data?: undefined; error: AnyError; headers?: Headers };

/** Error codes by HTTP status, for responses whose body has no code. */
const codeOfStatus: Record<number, string> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  412: "PRECONDITION_FAILED",
  413: "TOO_LARGE",
  414: "TOO_LONG",
  415: "UNSUPPORTED_MEDIA_TYPE",
  429: "RATE_LIMITED",
  500: "INTERNAL_ERROR",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "UNAVAILABLE",
};

/**
 * Reads a response.
 *
 * @throws if the connection breaks while the body is read
 */
export async function readAnswer(response: Response): Promise<AnyAnswer> {
  const { status, headers } = response;
  if (status === 204) return { data: undefined, headers };
  if (status === 304)
    return { error: { status, code: "NOT_MODIFIED", message: "Nothing has changed" }, headers };
  const body: JsonBody | undefined = objectIn(await response.text());
  if (body === undefined) {
    const message = `The answer with status ${status} is not JSON, so it is not from the service`;
    return { error: { status, code: "EDGE_ERROR", message, ...retryAfter(headers) }, headers };
  }
  if (response.ok) return { data: body.success === true ? body.data : body, headers };
  return { error: { ...errorIn(status, body), ...retryAfter(headers) }, headers };
}

type JsonBody = {
  success?: boolean;
  data?: unknown;
  error?: unknown;
  message?: unknown;
  needsRefresh?: true;
};

/** Parses a JSON object. Returns undefined for any other text. */
export function objectIn(json: string): object | undefined {
  try {
    const body: unknown = JSON.parse(json);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function errorIn(status: number, { error, message, needsRefresh }: JsonBody): AnyError {
  const coded: { code?: unknown; message?: unknown } = (typeof error === "object" && error) || {
    message: error ?? message,
  };
  return {
    ...coded,
    status,
    code: textOr(codeOfStatus[status] ?? "REFUSED", coded.code),
    message: textOr(`The answer has status ${status}`, coded.message),
    ...(needsRefresh && { needsRefresh }),
  };
}

const textOr = (fallback: string, value: unknown): string => (typeof value === "string" ? value : fallback);

function retryAfter(headers: Headers): { retryAfterSeconds?: number } {
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return seconds >= 0 ? { retryAfterSeconds: seconds } : {};
}
