import * as v from "valibot";
import type { HttpErrorCode } from "../api/errors.ts";

/** The request cannot be read. The message names the field and quotes no value. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
  readonly code: HttpErrorCode;
  readonly details: { field: string } | undefined;

  /** @param field The name of the field at fault, if it is one field. */
  constructor(
    message: string,
    { code = "INVALID_REQUEST", field }: { code?: HttpErrorCode; field?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.details = field === undefined ? undefined : { field };
  }
}

/**
 * Parses input by its schema. valibot's own messages quote the input, which may be a private key, so a description of
 * the expected form replaces them.
 *
 * @param what Names the input in messages about fields whose names must not be quoted.
 * @throws {InvalidRequest} for the first problem, in the order of the schema's fields.
 */
export function validate<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  what = "body",
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, input, { abortEarly: true, message: expectation });
  if (result.success) return result.output;
  const [issue] = result.issues;
  if (issue.path === undefined) throw new InvalidRequest(`The ${what} must be an object`);
  const field = fieldOf(issue);
  const problem = isMissing(issue) ? required(schema, issue) : issue.message;
  throw new InvalidRequest(
    `${field ?? `A field of the ${what}`} ${problem}`,
    field === undefined ? {} : { field },
  );
}

function expectation(issue: v.BaseIssue<unknown>): string {
  switch (issue.type) {
    case "strict_object":
      return "is not a known field";
    case "literal":
      return `must be ${issue.expected}`;
    case "picklist":
      return `must be one of ${issue.expected?.replace(/[()"]/g, "").replaceAll(" | ", ", ")}`;
    case "min_value":
      return `must be at least ${issue.requirement}`;
    case "max_value":
      return `must be at most ${issue.requirement}`;
    default:
      return `must be a ${issue.expected ?? issue.type}`;
  }
}

const isMissing = ({ type, expected }: v.BaseIssue<unknown>) =>
  (type === "strict_object" || type === "loose_object") && expected !== "never";

/** Describes a missing field and its expected form. */
function required(
  schema: v.GenericSchema & { entries?: Record<string, v.GenericSchema> },
  issue: v.BaseIssue<unknown>,
) {
  const entry = schema.entries?.[v.getDotPath(issue) ?? ""];
  const [nothing] = entry ? (v.safeParse(entry, undefined, { message: expectation }).issues ?? []) : [];
  return nothing === undefined ? "is required" : `is required and ${nothing.message}`;
}

/** Returns the field's name, unless it does not look like one: it may be a secret in the wrong place. */
function fieldOf(issue: v.BaseIssue<unknown>): string | undefined {
  const path = v.getDotPath(issue) ?? "";
  return /^[A-Za-z_][\w.-]{0,23}$/.test(path) ? path : undefined;
}
