import * as v from "valibot";
import type { ApiKey, UsagePlan, UsageState } from "../model.ts";

const statuses = {
  BadRequestException: 400,
  ConflictException: 409,
  LimitExceededException: 429,
  NotFoundException: 404,
  TooManyRequestsException: 429,
} as const;

/** A failure that the control plane answers by this name. Its message never contains the value of a key. */
export class ControlPlaneError extends Error {
  override readonly name: keyof typeof statuses;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(name: keyof typeof statuses, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = name;
    this.status = statuses[name];
    this.retryAfterSeconds = retryAfterSeconds;
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

/** Dependencies of the operations. */
export type Context = {
  state: UsageState;
  /** All stages that a plan can cover, as `<API id>:<stage>`. */
  stages: ReadonlySet<string>;
  /** Current time in milliseconds since the epoch. */
  now: () => number;
  /** Maximum number of keys in the account. */
  maxKeys: number;
};

/** @throws {ControlPlaneError} NotFoundException if the id is unknown */
export function findKey({ state }: Context, id: string): ApiKey {
  const key = state.current.apiKeys.find((each) => each.id === id);
  if (key === undefined) throw notFound("Invalid API Key identifier specified");
  return key;
}

/** @throws {ControlPlaneError} NotFoundException if the id is unknown */
export function findPlan({ state }: Context, id: string): UsagePlan {
  const plan = state.current.usagePlans.find((each) => each.id === id);
  if (plan === undefined) throw notFound("Invalid Usage Plan ID specified");
  return plan;
}

/**
 * An operation of the control plane. Its input is that of the SDK's command, whether it travels in the path, query or
 * body.
 */
export type Operation = {
  /** Status of a successful answer. */
  status: number;
  /**
   * Runs the operation.
   *
   * @returns the body of the answer, if it has one
   * @throws {ControlPlaneError} if the call is refused
   */
  run: (input: Record<string, unknown>) => object | undefined;
};

export function operation<Schema extends v.GenericSchema>(
  status: number,
  schema: Schema,
  run: (input: v.InferOutput<Schema>) => object | undefined,
): Operation {
  return { status, run: (input) => run(parse(schema, input)) };
}

/** @throws {ControlPlaneError} BadRequestException if a field is invalid; the message names it, but not its value */
export function parse<Schema extends v.GenericSchema>(schema: Schema, input: unknown): v.InferOutput<Schema> {
  // An empty message suppresses valibot's, which would quote the input. The schema's own messages still apply.
  const parsed = v.safeParse(schema, input, { message: "" });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue) ?? "request";
  if (issue.expected === "never") throw badRequest(`${path} is not emulated`);
  throw badRequest(issue.message || `Invalid ${path} specified`);
}

const tagKey = v.pipe(v.string(), v.regex(/^(?!aws:)[\p{L}\p{N}\s.:+=@_/-]{1,128}$/u));
const tagValue = v.pipe(v.string(), v.regex(/^[\p{L}\p{N}\s.:+=@_/-]{0,256}$/u));

/** Tags of a key or a plan. */
export const tags = v.record(tagKey, tagValue);

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 500;

/** Query parameters of a list. Recorded: an unusable limit is not an error. */
export const pageQuery = {
  limit: v.pipe(
    v.optional(v.string(), ""),
    v.transform((text) => (/^[1-9]\d*$/.test(text) ? Math.min(Number(text), MAX_LIMIT) : DEFAULT_LIMIT)),
  ),
  position: v.optional(v.string()),
};

export type PageQuery = { limit: number; position?: string | undefined };

/**
 * Returns a page of a list, ordered by id, and the position of the next page, if there is one. A position contains the
 * last id of its page, so it stays valid when items are added or deleted in between.
 */
export function page<Item extends { id: string }>(
  items: readonly Item[],
  { limit, position }: PageQuery,
  view: (item: Item) => object,
): { item: object[]; position?: string } {
  const after = position === undefined ? "" : Buffer.from(position, "base64url").toString();
  const rest = items.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown.at(-1) : undefined;
  return { item: shown.map(view), ...(last && { position: Buffer.from(last.id).toString("base64url") }) };
}
