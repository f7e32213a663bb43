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

/** The prefix of the runner's own paths, beside those of what it emulates. */
export const OWN = "/_local";

type Method = "GET" | "POST" | "PUT";

/** What each method of a path answers. */
type OwnPath = Partial<Record<Method, Handle>>;

/** Serves all paths below the prefix: those that are not listed are a 404. */
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

/** A path that shows a value with GET, and replaces it with PUT. */
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

/** Serves what tests set of a service that is not one of the runner's own, as the runner does: see its option `faults`. */
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

/** Accepts JSON only. A page of another site would need a permission to send that, which no answer gives. */
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
