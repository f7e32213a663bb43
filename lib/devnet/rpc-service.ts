import { type GatewayRequest, type GatewayResponse, type Handle, header, json } from "cdk-local-runner";
import * as v from "valibot";

export type RpcQuestion = { id: string | number | null; method: string; params: readonly unknown[] };

/** A result or an error of JSON-RPC. */
export type RpcReply = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

export const refusal = (code: number, message: string) => ({ error: { code, message } });

const Question = v.object({
  id: v.optional(v.union([v.string(), v.number(), v.null()]), null),
  method: v.string(),
  params: v.optional(v.array(v.unknown()), []),
});

const Body = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([v.pipe(v.array(Question), v.minLength(1)), Question]),
);

export const invalid = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "invalid request" } };

/**
 * Serves JSON-RPC. Accepts only the content type JSON: a page of another site could send that only with a permission,
 * which no response gives.
 *
 * @param answer Answers the questions of one request, in order.
 * @param refuse Refuses a request as a whole, or returns undefined.
 */
export function rpcService(
  answer: (questions: readonly RpcQuestion[]) => Promise<readonly RpcReply[]>,
  refuse: (questions: readonly RpcQuestion[]) => GatewayResponse | undefined = () => undefined,
): Handle {
  return async (request: GatewayRequest): Promise<GatewayResponse> => {
    if (!/^application\/json\b/i.test(header(request, "content-type") ?? "")) return json(415, invalid);
    const body = v.safeParse(Body, request.body.toString("utf8"));
    if (!body.success) return json(200, invalid);
    const questions = [body.output].flat();
    const refusal = refuse(questions);
    if (refusal !== undefined) return refusal;
    const replies = await answer(questions);
    const items = questions.map(({ id }, index) => ({ jsonrpc: "2.0", id, ...replies[index] }));
    return json(200, Array.isArray(body.output) ? items : items[0]);
  };
}

/** Forwards questions to another server in one request. */
export async function askRpc(url: string, questions: readonly RpcQuestion[]): Promise<RpcReply[]> {
  if (questions.length === 0) return [];
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(questions.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))),
  });
  type Item = { id: number; result?: unknown; error?: { code: number; message: string } };
  const byId = new Map(((await response.json()) as Item[]).map((item) => [item.id, item]));
  return questions.map((_, id) => {
    const { result, error } = byId.get(id) ?? {};
    return error === undefined ? { result } : { error };
  });
}
