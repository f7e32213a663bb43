const statuses = {
  BadRequestException: 400,
  ConflictException: 409,
  LimitExceededException: 429,
  NotFoundException: 404,
  TooManyRequestsException: 429,
} as const;

/** A failure that API Gateway's own API answers with its name. No message carries the value of a key. */
export class ControlPlaneError extends Error {
  override readonly name: keyof typeof statuses;
  readonly status: number;
  /** Seconds, for the header Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(name: keyof typeof statuses, message: string, retryAfter?: number) {
    super(message);
    this.name = name;
    this.status = statuses[name];
    this.retryAfter = retryAfter;
  }
}

export function badRequest(message: string): ControlPlaneError {
  return new ControlPlaneError("BadRequestException", message);
}

export function conflict(message: string): ControlPlaneError {
  return new ControlPlaneError("ConflictException", message);
}

export function notFound(message: string): ControlPlaneError {
  return new ControlPlaneError("NotFoundException", message);
}
