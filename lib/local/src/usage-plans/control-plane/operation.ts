import * as v from "valibot";
import type { ApiKey, UsagePlan, UsageState } from "../model.ts";

const statuses = {
  BadRequestException: 400,
  ConflictException: 409,
  LimitExceededException: 429,
  NotFoundException: 404,
  TooManyRequestsException: 429,
} as const;

/** A failure that the control plane answers by this name. No message contains the value of a key. */
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

/** Everything that the operations work on. */
export type Context = {
  state: UsageState;
  /** All stages that a plan can cover, as `<API id>:<stage>`. */
  stages: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** How many keys the account may have. */
  maxKeys: number;
};

/** @throws ControlPlaneError NotFoundException */
export function findKey({ state }: Context, id: string): ApiKey {
  const key = state.current.apiKeys.find((each) => each.id === id);
  if (key === undefined) throw notFound("Invalid API Key identifier specified");
  return key;
}

/** @throws ControlPlaneError NotFoundException */
export function findPlan({ state }: Context, id: string): UsagePlan {
  const plan = state.current.usagePlans.find((each) => each.id === id);
  if (plan === undefined) throw notFound("Invalid Usage Plan ID specified");
  return plan;
}

/** A call of the control plane. Its input is that of the SDK's command, whether it travels in the path, query or body. */
export type Operation = {
  /** The status of a successful answer. */
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

/** @throws ControlPlaneError BadRequestException that names the field but not its value */
export function parse<Schema extends v.GenericSchema>(schema: Schema, input: unknown): v.InferOutput<Schema> {
  // The schema's own messages win; valibot's would quote the input.
  const parsed = v.safeParse(schema, input, { message: "" });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue) ?? "request";
  if (issue.expected === "never") throw badRequest(`${path} is not emulated`);
  throw badRequest(issue.message || `Invalid ${path} specified`);
}

const tagKey = v.pipe(v.string(), v.regex(/^(?!aws:)[\p{L}\p{N}\s.:+=@_/-]{1,128}$/u));
const tagValue = v.pipe(v.string(), v.regex(/^[\p{L}\p{N}\s.:+=@_/-]{0,256}$/u));

/** The tags of a key or a plan. */
export const tags = v.record(tagKey, tagValue);

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 500;

/** The query of a list. Recorded: an unusable limit is no error. */
export const pageQuery = {
  limit: v.pipe(
    v.optional(v.string(), ""),
    v.transform((text) => (/^[1-9]\d*$/.test(text) ? Math.min(Number(text), MAX_LIMIT) : DEFAULT_LIMIT)),
  ),
  position: v.optional(v.string()),
};

export type PageQuery = { limit: number; position?: string | undefined };

/**
 * A page of a list in the order of ids, and the position of the next page, if there is one. A position holds the last id
 * of its page, so it stays valid when items are added or deleted in between.
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
