import * as v from "valibot";
import type { HttpErrorCode } from "../api/errors.ts";
import { ServiceError } from "../core/service-error.ts";

/** Reports that the request cannot be read. The message names the field and quotes no value. */
export class InvalidRequest extends ServiceError {
  declare readonly code: HttpErrorCode;
  readonly details: { field: string } | undefined;

  /** @param field The name of the field at fault, if the error concerns a single field. */
  constructor(
    message: string,
    { code = "INVALID_REQUEST", field }: { code?: HttpErrorCode; field?: string } = {},
  ) {
    super(message, { name: "InvalidRequest", code });
    this.details = field === undefined ? undefined : { field };
  }
}

/** A part of the input. Messages name the part, unless it is the body of a request. */
type Part = "body" | "message" | "event" | "record" | keyof typeof nouns;

const nouns = { query: "query parameter", path: "path parameter", header: "header" };

/**
 * Parses input with its schema. Describes the expected form in its own words, because valibot's messages quote the
 * input, which may be a private key.
 *
 * @throws {InvalidRequest} for the first problem, in the order of the schema's fields.
 */
export function validate<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  part: Part = "body",
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, input, { abortEarly: true, message: expectation });
  if (result.success) return result.output;
  const [issue] = result.issues;
  if (issue.path === undefined) throw new InvalidRequest(`The ${part} must be an object`);
  throw problemOf(
    part,
    v.getDotPath(issue) ?? "",
    isMissing(issue) ? required(schema, issue) : issue.message,
  );
}

/** Makes the error for a field that a request gives twice, because it is unclear which value counts. */
export const givenTwice = (part: Part, name: string): InvalidRequest =>
  problemOf(part, name, "must not be given twice");

/**
 * Names the field and the part of the request. Omits a name that does not look like a field's name, because it may be a
 * secret.
 */
function problemOf(part: Part, name: string, problem: string): InvalidRequest {
  const noun = part in nouns ? nouns[part as keyof typeof nouns] : undefined;
  if (!/^[A-Za-z_][\w-]{0,23}(?:\.[\w-]{1,24}){0,4}$/.test(name))
    return new InvalidRequest(`A ${noun ?? `field of the ${part}`} ${problem}`);
  return new InvalidRequest(noun === undefined ? `${name} ${problem}` : `The ${noun} ${name} ${problem}`, {
    field: name,
  });
}

function expectation(issue: v.BaseIssue<unknown>): string {
  switch (issue.type) {
    case "strict_object":
      return issue.expected === "never" ? "is not a known field" : "must be an object";
    case "array":
      return "must be a list";
    case "literal":
      return `must be ${issue.expected}`;
    case "picklist":
    case "variant":
      return `must be one of ${issue.expected?.replace(/[()"]/g, "").replaceAll(" | ", ", ")}`;
    case "min_value":
      return `must be at least ${issue.requirement}`;
    case "max_value":
      return `must be at most ${issue.requirement}`;
    default:
      return `must be a ${issue.expected ?? issue.type}`;
  }
}

/** True if a field is missing: only then, its name in quotes is what valibot expected. */
const isMissing = ({ type, expected }: v.BaseIssue<unknown>) =>
  (type === "strict_object" || type === "loose_object") && expected?.startsWith('"') === true;

/** Describes a missing field and its expected form. */
function required(
  schema: v.GenericSchema & { entries?: Record<string, v.GenericSchema> },
  issue: v.BaseIssue<unknown>,
) {
  const entry = schema.entries?.[v.getDotPath(issue) ?? ""];
  const [nothing] = entry ? (v.safeParse(entry, undefined, { message: expectation }).issues ?? []) : [];
  return nothing === undefined ? "is required" : `is required and ${nothing.message}`;
}
