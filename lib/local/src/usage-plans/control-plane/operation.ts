import * as v from "valibot";
import { badRequest } from "./control-plane-error.ts";

/** A call of API Gateway's API. Its input is what the SDK's command takes, wherever in the request that stands. */
export type Operation = {
  /** Of the answer when it succeeds. */
  status: number;
  /**
   * @returns the body, if any
   * @throws ControlPlaneError
   */
  run(input: Record<string, unknown>): object | undefined;
};

export function operation<Schema extends v.GenericSchema>(
  status: number,
  schema: Schema,
  run: (input: v.InferOutput<Schema>) => object | undefined,
): Operation {
  return { status, run: (input) => run(parse(schema, input)) };
}

/** @throws ControlPlaneError BadRequestException that names the field, never its value */
export function parse<Schema extends v.GenericSchema>(schema: Schema, input: unknown): v.InferOutput<Schema> {
  // A message of the schema's own wins; valibot's would quote what was sent.
  const parsed = v.safeParse(schema, input, { message: "" });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue) ?? "request";
  if (issue.expected === "never") throw badRequest(`${path} is not emulated`);
  throw badRequest(issue.message || `Invalid ${path} specified`);
}
