import * as v from "valibot";
import { arn } from "../account.ts";
import { bodyOf } from "../http/json.ts";
import { type GatewayRequest, type GatewayResponse, header, json } from "../http/messages.ts";
import { guarded, refusal, type ServiceRoute } from "../services.ts";
import type { Store } from "../storage/store.ts";

const prefix = "AmazonSSM.";

const mostBytes = 4096;

const name = v.pipe(v.string(), v.regex(/^(\/[\w.-]+)+$/));

/** Schemas are strict, so that parameters that are not emulated are rejected, not ignored. */
const requests = {
  GetParameter: v.strictObject({
    Name: name,
    WithDecryption: v.optional(v.boolean(), false),
  }),
  PutParameter: v.strictObject({
    Name: name,
    Value: v.pipe(v.string(), v.nonEmpty(), v.maxBytes(mostBytes)),
    // Other types keep their values unencrypted.
    Type: v.literal("SecureString"),
    Overwrite: v.optional(v.boolean(), false),
  }),
};

type Stored = { value: string; version: number };

/** Emulates SSM's Parameter Store for parameters of the type SecureString. They are stored without encryption. */
export function parametersService(store: Store): ServiceRoute {
  const parameters = new Map(Object.entries(store.load<Record<string, Stored>>("parameters") ?? {}));

  const operations = {
    GetParameter: ({ Name, WithDecryption }: v.InferOutput<(typeof requests)["GetParameter"]>) => {
      const stored = parameters.get(Name);
      if (stored === undefined) return refusal(400, "ParameterNotFound", "The parameter does not exist.");
      const { value, version } = stored;
      // Hides the value, as the encrypted text of SSM does.
      const Value = WithDecryption ? value : "encrypted";
      return json(200, { Parameter: { Name, Type: "SecureString", Value, Version: version } });
    },
    PutParameter: ({ Name, Value, Overwrite }: v.InferOutput<(typeof requests)["PutParameter"]>) => {
      const before = parameters.get(Name);
      if (before !== undefined && !Overwrite)
        return refusal(400, "ParameterAlreadyExists", "The parameter already exists.");
      const version = (before?.version ?? 0) + 1;
      parameters.set(Name, { value: Value, version });
      store.save("parameters", Object.fromEntries(parameters));
      return json(200, { Tier: "Standard", Version: version });
    },
  };

  function answer(request: GatewayRequest): GatewayResponse {
    const operation = operationOf(request);
    const body = bodyOf(request);
    if (operation === "GetParameter") return parsed(requests.GetParameter, body, operations.GetParameter);
    if (operation === "PutParameter") return parsed(requests.PutParameter, body, operations.PutParameter);
    return refusal(400, "UnknownOperationException", `ssm:${operation} is not emulated`);
  }

  return guarded(
    (request) => (operationOf(request) === undefined ? undefined : Promise.resolve(answer(request))),
    (request) => {
      const operation = operationOf(request);
      if (operation === undefined) return [];
      const { Name = "" } = (bodyOf(request) ?? {}) as { Name?: string };
      return [{ action: `ssm:${operation}`, resource: arn("ssm", `parameter${Name}`), values: {} }];
    },
  );
}

function operationOf(request: GatewayRequest): string | undefined {
  const target = header(request, "x-amz-target") ?? "";
  return target.startsWith(prefix) ? target.slice(prefix.length) : undefined;
}

/** Answers a valid request. The message about an invalid one names the field, but not its value. */
function parsed<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
  respond: (request: v.InferOutput<Schema>) => GatewayResponse,
): GatewayResponse {
  const read = v.safeParse(schema, body);
  if (read.success) return respond(read.output);
  const field = v.getDotPath(read.issues[0]) ?? "$";
  return refusal(400, "ValidationException", `Value at '${field}' is not emulated or invalid`);
}
