import * as http from "node:http";
import * as https from "node:https";
import { deployment } from "./deployment.ts";
import { keepAnswer, noteSecretsIn } from "./written.ts";

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  /** Body of the response, parsed. Undefined if it is not JSON. */
  json: unknown;
};

export type Call = {
  /** Token, sent as `Authorization: Bearer <token>`. */
  token?: string | undefined;
  headers?: Record<string, string>;
  /**
   * Body of the request. Text and bytes are sent unchanged, anything else as JSON; the type is always application/json.
   */
  body?: unknown;
};

export async function get(path: string, call: Call = {}): Promise<Answer> {
  return send("GET", path, call);
}

export async function post(path: string, call: Call = {}): Promise<Answer> {
  return send("POST", path, call);
}

export async function send(method: string, path: string, { token, headers, body }: Call = {}) {
  noteSecretsIn({ head: [path, token ?? "", ...Object.values(headers ?? {})], body });
  const response = await fetch(`${deployment().baseUrl}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: bodyOf(body) }),
    redirect: "manual",
  });
  return answerOf(response.status, response.headers, await response.text());
}

const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array
    ? (body as string | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body);

/**
 * Sends exactly these headers and this target, which `fetch` would merge, refuse or normalize. Accepts a response that
 * arrives before the whole body was sent.
 */
export async function sendRaw(
  method: string,
  target: string,
  headers: (readonly [name: string, value: string])[],
  body: string | Uint8Array = "",
): Promise<Answer> {
  noteSecretsIn({ head: [target, ...headers.map(([, value]) => value)], body });
  const { protocol, hostname, host, port, pathname } = new URL(deployment().baseUrl);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const length: [string, string][] =
    method === "GET" ? [] : [["Content-Length", `${Buffer.byteLength(body)}`]];
  const request = (protocol === "https:" ? https : http).request({
    method,
    hostname,
    port,
    path: `${pathname.replace(/\/$/, "")}${target}`,
    headers: [["Host", host], ["Connection", "close"], ...headers, ...length].flat(),
    agent: false,
  });
  request.on("error", reject);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    const done = () => {
      const received = new Headers();
      for (let i = 0; i < response.rawHeaders.length; i += 2)
        received.append(response.rawHeaders[i] ?? "", response.rawHeaders[i + 1] ?? "");
      resolve(answerOf(response.statusCode ?? 0, received, Buffer.concat(chunks).toString()));
    };
    response.on("data", (chunk) => chunks.push(chunk)).on("end", done);
  });
  request.end(body);
  return promise;
}

/** Records a response for the search for secrets, and parses it. */
export function answerOf(status: number, headers: Headers, text: string): Answer {
  keepAnswer(`${status} ${JSON.stringify([...headers])}\n${text}`);
  return { status, headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
