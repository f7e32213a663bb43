/** A response whose types are not known yet. `lib/client/rest-types.ts` has the types of each operation. */
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

/** Error codes by status, for bodies without a code. */
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
 * @throws if the connection breaks within the body
 */
export async function readAnswer(response: Response): Promise<AnyAnswer> {
  const { status, headers } = response;
  if (status === 204) return { data: undefined, headers };
  if (status === 304)
    return { error: { status, code: "NOT_MODIFIED", message: "Nothing has changed" }, headers };
  const body = parsed(await response.text());
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

function parsed(text: string): JsonBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function errorIn(status: number, { error, message, needsRefresh }: JsonBody): AnyError {
  const coded = (typeof error === "object" && error) || { message: error ?? message };
  const general = { code: codeOfStatus[status] ?? "REFUSED", message: `The answer has status ${status}` };
  return {
    ...coded,
    status,
    code: text(coded, "code") ?? general.code,
    message: text(coded, "message") ?? general.message,
    ...(needsRefresh && { needsRefresh }),
  };
}

function text(error: { code?: unknown; message?: unknown }, field: "code" | "message"): string | undefined {
  const value = error[field];
  return typeof value === "string" ? value : undefined;
}

function retryAfter(headers: Headers): { retryAfterSeconds?: number } {
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return seconds >= 0 ? { retryAfterSeconds: seconds } : {};
}
