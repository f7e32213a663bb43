import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type RpcRequest = { id: number; method: string; params: unknown[] };

type Answers = Record<string, unknown>;

/** A fault that replaces a host's entire response. */
export type Misbehaviour = (response: ServerResponse, requests: RpcRequest[]) => void;

const reply = (response: ServerResponse, body: string | Uint8Array, status = 200) =>
  response.writeHead(status, { "Content-Type": "application/json" }).end(body);

/** Responds with these exact bytes. */
export const answering =
  (body: string | Uint8Array, status?: number): Misbehaviour =>
  (response) =>
    void reply(response, body, status);

/** Accepts the request but never responds. */
export const silent: Misbehaviour = () => {};

/** Closes the connection before or during the response. */
export const hangingUp: Misbehaviour = (response) => void response.destroy();
export const hangingUpMidway: Misbehaviour = (response) => {
  response.writeHead(200, { "Content-Length": 1000 });
  response.write("[{", () => response.destroy());
};

/** Sends megabytes without a content length until the client disconnects. */
export const flooding =
  (megabytes: number): Misbehaviour =>
  (response) => {
    const megabyte = Buffer.alloc(1024 * 1024, " ");
    let left = megabytes;
    const send = () => {
      if (left-- > 0 && !response.destroyed) response.write(megabyte, send);
      else response.end();
    };
    response.writeHead(200);
    send();
  };

export const result = (id: number, value: unknown) => ({ jsonrpc: "2.0", id, result: value });

/** Changes the shape of correct responses. */
export const reshaped =
  (change: (items: ReturnType<typeof result>[], requests: RpcRequest[]) => unknown): Misbehaviour =>
  (response, requests) => {
    const items = requests.map(({ id, method }) => result(id, method === "eth_chainId" ? "0x1" : "0x10"));
    reply(response, JSON.stringify(change(items, requests)));
  };

/** An error returned by a method. */
export class RpcFailure {
  readonly error: { code: number; message: string; data?: unknown };
  constructor(code: number, message: string, data?: unknown) {
    this.error = { code, message, data };
  }
}

/**
 * Starts a JSON-RPC server. `answers` maps each known method to its result, or to a function of its parameters.
 * `misbehaviour` overrides all responses while set.
 */
export async function startRpcServer(answers: Answers = {}) {
  const state = {
    answers: { eth_chainId: "0x1", ...answers } as Answers,
    misbehaviour: undefined as Misbehaviour | undefined,
    requests: [] as RpcRequest[][],
    isBatch: [] as boolean[],
  };

  function answerTo({ id, method, params }: RpcRequest) {
    const answer = state.answers[method];
    const value = typeof answer === "function" ? answer(...params) : answer;
    if (value === undefined) return { jsonrpc: "2.0", id, error: { code: -32601, message: "Unknown" } };
    return value instanceof RpcFailure ? { jsonrpc: "2.0", id, error: value.error } : result(id, value);
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const body = (await json(request)) as RpcRequest | RpcRequest[];
    const requests = [body].flat();
    state.requests.push(requests);
    state.isBatch.push(Array.isArray(body));
    if (state.misbehaviour !== undefined) return state.misbehaviour(response, requests);
    const answer = requests.map(answerTo);
    reply(response, JSON.stringify(Array.isArray(body) ? answer : answer[0]));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

export type RpcServer = Awaited<ReturnType<typeof startRpcServer>>;
