import * as v from "valibot";
import { jsonObject } from "./http/json.ts";
import { type GatewayRequest, type GatewayResponse, type Handle, header, pathOf } from "./http/messages.ts";
import { type Random, seededRandom } from "./random.ts";
import { refusal } from "./services.ts";

/** The answers of AWS to calls that meet a fault, by service. DynamoDB's depend on the call. */
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
 * `lambda.killed` kills the process of a function before its answer. `connections.stuck` is a share of the clients, not of
 * calls: those that have stopped reading.
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
 * What tests set: the share of calls, from 0 to 1, that meet each fault, beside values of other kinds. Faults that are left
 * out do not occur.
 */
export const ratesSchema = <const Name extends string, Others extends v.ObjectEntries>(
  names: readonly Name[],
  others: Others,
) => v.pipe(jsonObject, v.strictObject({ ...v.entriesFromList(names, v.optional(Share)), ...others }));

export const FaultRates = ratesSchema(names, {});
export type FaultRates = v.InferOutput<typeof FaultRates>;

/**
 * Decides whether a call meets a fault, by the rates as they are then. With the same seed, the same sequence of calls has
 * the same fate.
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
  /** Decides whether a call meets the fault. */
  strikes(name: FaultName): boolean;
  /** Decides whether a client has stopped reading. The answer for a client changes with the rate alone. */
  isStuck(path: string): boolean;
  random: Random;
};

/** No fault occurs until rates are set. */
export function createFaults(seed: number): Faults {
  const faults: Faults = {
    rates: {},
    strikes: strikesOf(names, seed, () => faults.rates),
    isStuck: (path) => seededRandom(`${path} ${seed}`)() < (faults.rates["connections.stuck"] ?? 0),
    random: seededRandom(`faults ${seed}`),
  };
  return faults;
}

/** The services that share a server, of whose calls some fail before they have an effect. */
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
