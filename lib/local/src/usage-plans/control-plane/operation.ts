import * as v from "valibot";
import type { ApiKey, UsagePlan, UsageState } from "../model.ts";

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

/** What the operations work on. */
export type Context = {
  state: UsageState;
  /** All that a plan can cover, as `<API id>:<stage>`. */
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

/** The list with that one in place of the one that has its id. */
export function replaced<Item extends { id: string }>(items: readonly Item[], item: Item): Item[] {
  return items.map((each) => (each.id === item.id ? item : each));
}

const DEFAULT = 25;
const MAXIMUM = 500;

/** The query of a list. Recorded: a limit that makes no sense is no error. */
export const pageQuery = {
  limit: v.pipe(
    v.optional(v.string(), ""),
    v.transform((text) => (/^[1-9]\d*$/.test(text) ? Math.min(Number(text), MAXIMUM) : DEFAULT)),
  ),
  position: v.optional(v.string()),
};

export type PageQuery = { limit: number; position?: string | undefined };

/**
 * A page of a list in the order of ids, and the position of the next one if there is more. A position says where the page
 * before ended, so it stays good when things are deleted or added between two pages.
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

export const patchOperations = v.optional(
  v.array(v.strictObject({ op: v.string(), path: v.string(), value: v.optional(v.string(), "") })),
  [],
);

type PatchOperations = v.InferOutput<typeof patchOperations>;

/** A change that an operation may ask for. */
export type PatchRule<Target> = {
  ops: readonly ("add" | "remove" | "replace")[];
  /** The path as API Gateway's messages write it; a part in angle brackets stands for a text. */
  path: string;
  /** @param parts what the parts in angle brackets are, their slashes no longer escaped */
  apply(target: Target, value: string, ...parts: string[]): Target;
};

/** @throws ControlPlaneError BadRequestException for an operation that no rule allows */
export function patched<Target>(
  target: Target,
  operations: PatchOperations,
  rules: readonly PatchRule<Target>[],
): Target {
  return operations.reduce((current, { op, path, value }) => {
    const allowed = rules.filter(({ ops }) => ops.some((each) => each === op));
    for (const rule of allowed) {
      const found = pattern(rule.path).exec(path);
      if (found) return rule.apply(current, value, ...found.slice(1).map(unescaped));
    }
    const paths = allowed.map((rule) => rule.path).join(", ");
    // Recorded, the two spaces too.
    throw badRequest(`Invalid patch path  '${path}' specified for op '${op}'. Must be one of: [${paths}]`);
  }, target);
}

/** A resource path may have its slashes as they are, which Terraform relies on. */
function pattern(path: string): RegExp {
  const parts = path.replaceAll("<resourcePath>", "(.+)").replaceAll(/<[^>]+>/g, "([^/]+)");
  return new RegExp(`^${parts}$`);
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

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
