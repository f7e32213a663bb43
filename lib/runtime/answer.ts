import type { APIGatewayProxyResult } from "aws-lambda";
import { type ErrorAnswer, statusOfCode } from "../api/errors.ts";
import { DomainError } from "../domain/domain-error.ts";
import type { RestRow } from "../operation-types.ts";
import { InvalidRequest } from "./invalid-request.ts";
import { logFault } from "./log.ts";

/** What no cache may keep and no browser may guess the type of. */
const headers = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

export function answer(statusCode: number, body: unknown): APIGatewayProxyResult {
  return { statusCode, headers, body: JSON.stringify(body) };
}

/** What is told of an error. Anything that was not meant for the caller is logged by name and told as a 500. */
export function errorAnswer(operation: string, error: unknown): ErrorAnswer {
  if (error instanceof DomainError || error instanceof InvalidRequest) return error;
  logFault(operation, error);
  return { code: "INTERNAL_ERROR", message: "Internal server error" };
}

/** The operation's own form of an error. */
export function answerError(
  { errors }: Pick<RestRow, "errors">,
  error: ErrorAnswer,
  now: Date,
): APIGatewayProxyResult {
  const status = statusOfCode[error.code];
  return answer(status, errorBody(status < 500 ? errors.client : errors.server, error, now));
}

function errorBody(shape: RestRow["errors"]["client"], { code, message }: ErrorAnswer, now: Date) {
  switch (shape) {
    case "message":
      return { message };
    case "error":
      return { error: message };
    case "envelope":
      return { success: false, error: { code, message }, timestamp: now.toISOString() };
  }
}
