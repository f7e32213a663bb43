import { type IncomingHttpHeaders, request as requestOverHTTP } from "node:http";
import { request as requestOverHTTPS } from "node:https";
import type { CallLimit } from "./call-limit.ts";

export type Answer = {
  status: number;
  /** By names in lower case. */
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body. Undefined if it is not JSON. */
  json: unknown;
};

export type RequestParts = { token?: string; headers?: Record<string, string>; body?: unknown };

const answerMs = 35_000;

/** Calls the REST API. */
export class RestClient {
  readonly #baseUrl: string;
  readonly #limit: CallLimit;
  readonly #signal: AbortSignal;

  constructor(baseUrl: string, limit: CallLimit, signal: AbortSignal) {
    this.#baseUrl = baseUrl;
    this.#limit = limit;
    this.#signal = signal;
  }

  /** @param body text is sent unchanged, anything else as JSON. */
  send(method: string, path: string, parts: RequestParts = {}): Promise<Answer> {
    return this.sendTo(`${this.#baseUrl}${path}`, method, parts);
  }

  /** The same for a whole URL. An answer counts even if it comes before all of the request was sent. */
  async sendTo(url: string, method: string, { token, headers, body }: RequestParts = {}): Promise<Answer> {
    this.#limit.count();
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = (url.startsWith("https:") ? requestOverHTTPS : requestOverHTTP)(url, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(text !== undefined && {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(text),
        }),
        ...headers,
      },
      agent: false,
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(answerMs)]),
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("error", reject);
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const received = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text: received, json: parsed(received) });
      });
    });
    request.end(text);
    return promise;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
