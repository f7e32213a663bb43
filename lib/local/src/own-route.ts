import * as v from "valibot";
import {
  type GatewayRequest,
  type GatewayResponse,
  type Handle,
  header,
  json,
  pathOf,
  type Route,
} from "./http/messages.ts";

/** Prefix of the runner's own paths, which are served in addition to the emulated APIs. */
export const OWN = "/_local";

type Method = "GET" | "POST" | "PUT";

/** Handlers of a path, by method. */
export type OwnPath = Partial<Record<Method, Handle>>;

/** Serves all paths below the prefix. Unknown ones are a 404. */
export const ownRoute =
  (paths: Readonly<Record<string, OwnPath>>): Route =>
  (request) => {
    const path = pathOf(request);
    if (path !== OWN && !path.startsWith(`${OWN}/`)) return undefined;
    const found = Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (found === undefined) return refuse(404, "Not found");
    const answer = Object.hasOwn(found, request.method) ? found[request.method as Method] : undefined;
    return answer?.(request) ?? refuse(405, "Method not allowed", Object.keys(found).join(", "));
  };

/** Creates a path that returns a value on GET and replaces it on PUT. */
export const valuePath = <Schema extends v.GenericSchema>(
  schema: Schema,
  value: { get(): unknown; set(value: v.InferOutput<Schema>): void },
): OwnPath => ({
  GET: async () => json(200, value.get()),
  async PUT(request) {
    const read = readOwn(schema, request);
    if ("refusal" in read) return read.refusal;
    value.set(read.body);
    return json(200, value.get());
  },
});

/** Serves the fault rates of another service, in the way that the runner serves its own (option `faults`). */
export const faultsRoute = <Schema extends v.GenericSchema>(
  schema: Schema,
  service: () => { faults: v.InferOutput<Schema> },
): Route =>
  ownRoute({
    [`${OWN}/faults`]: valuePath(schema, {
      get: () => service().faults,
      set(faults) {
        service().faults = faults;
      },
    }),
  });

/**
 * Reads a JSON body and rejects other types. Pages of other sites cannot send JSON without permission, and no answer
 * grants it.
 */
export function readOwn<Schema extends v.GenericSchema>(
  schema: Schema,
  request: GatewayRequest,
): { body: v.InferOutput<Schema> } | { refusal: Promise<GatewayResponse> } {
  if (!/^application\/json\s*(;|$)/i.test(header(request, "content-type") ?? "")) {
    return { refusal: refuse(415, "Content-Type must be application/json") };
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), request.body.toString("utf8"));
  if (parsed.success) return { body: parsed.output };
  const [issue] = parsed.issues;
  const message = [v.getDotPath(issue), issue.message].filter((part) => part !== null).join(": ");
  return { refusal: refuse(400, message) };
}

async function refuse(status: number, error: string, allow?: string): Promise<GatewayResponse> {
  return json(status, { error }, ...(allow === undefined ? [] : [["Allow", allow] as const]));
}
