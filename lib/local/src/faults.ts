import * as v from "valibot";
import { jsonObject } from "./http/json.ts";
import { type GatewayRequest, type GatewayResponse, type Handle, header, pathOf } from "./http/messages.ts";
import { type Random, seededRandom } from "./random.ts";
import { refusal } from "./services.ts";

/** AWS's answers to calls hit by a fault, by service. DynamoDB's answers depend on the call and are elsewhere. */
const answers = {
  "apigateway.throttled": refusal(429, "TooManyRequestsException", "Too Many Requests"),
  "connections.failed": refusal(500, "InternalServerError", "Internal server error"),
  "connections.throttled": refusal(429, "LimitExceededException", "Too many requests"),
  "kms.failed": refusal(500, "KMSInternalException", "Internal failure"),
  "kms.throttled": refusal(400, "ThrottlingException", "Rate exceeded"),
  "lambda.throttled": refusal(429, "TooManyRequestsException", "Rate Exceeded"),
} satisfies Record<string, GatewayResponse>;

const stuck = refusal(429, "LimitExceededException", "The client does not read its messages.");

const answered = Object.keys(answers) as (keyof typeof answers)[];

/**
 * Faults without a fixed answer. `lambda.killed` kills a function's process before it answers. `connections.stuck` is a
 * fraction of clients, not of calls: these clients have stopped reading.
 */
const others = [
  "connections.stuck",
  "dynamodb.conflicting",
  "dynamodb.failed",
  "dynamodb.throttled",
  "lambda.killed",
] as const;

export type FaultName = keyof typeof answers | (typeof others)[number];

const names: readonly FaultName[] = [...answered, ...others];

const Share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/**
 * Schema of the values that tests set: for each fault, the fraction of calls that it hits, from 0 to 1 (0 if omitted);
 * and other values.
 */
export const ratesSchema = <const Name extends string, Others extends v.ObjectEntries>(
  names: readonly Name[],
  others: Others,
) => v.pipe(jsonObject, v.strictObject({ ...v.entriesFromList(names, v.optional(Share)), ...others }));

export const FaultRates = ratesSchema(names, {});
export type FaultRates = v.InferOutput<typeof FaultRates>;

/**
 * Creates a function that decides whether a fault hits a call, at the current rate. The same seed and the same sequence
 * of calls give the same decisions.
 */
export function strikesOf<Name extends string>(
  names: readonly Name[],
  seed: number,
  rates: () => { readonly [Fault in Name]?: number | undefined },
): (name: Name) => boolean {
  const chances = new Map(names.map((name) => [name, seededRandom(`${name} ${seed}`)]));
  return (name) => (chances.get(name)?.() ?? 1) < (rates()[name] ?? 0);
}

export type Faults = {
  rates: FaultRates;
  /** Decides whether the fault hits a call. */
  strikes: (name: FaultName) => boolean;
  /** Decides whether a client has stopped reading. The decision changes only when the rate changes. */
  isStuck(path: string): boolean;
  random: Random;
};

/** Creates faults whose rates are zero until set. */
export function createFaults(seed: number): Faults {
  const faults: Faults = {
    rates: {},
    strikes: strikesOf(names, seed, () => faults.rates),
    isStuck: (path) => seededRandom(`${path} ${seed}`)() < (faults.rates["connections.stuck"] ?? 0),
    random: seededRandom(`faults ${seed}`),
  };
  return faults;
}

/** Makes a fraction of calls fail before they take effect, for the services that share a server. */
export function withFaults(services: Handle, faults: Faults): Handle {
  return async (request) => {
    const service = serviceOf(request);
    const struck = answered.find((name) => name.startsWith(`${service}.`) && faults.strikes(name));
    if (struck !== undefined) return answers[struck];
    const isPush = service === "connections" && request.method === "POST";
    return isPush && faults.isStuck(pathOf(request)) ? stuck : services(request);
  };
}

function serviceOf(request: GatewayRequest): string | undefined {
  if (header(request, "x-amz-target")?.startsWith("TrentService.")) return "kms";
  const path = pathOf(request);
  if (path.includes("/@connections/")) return "connections";
  if (path.startsWith("/2015-03-31/functions/")) return "lambda";
  return /^\/(apikeys|usageplans)\b/.test(path) ? "apigateway" : undefined;
}
