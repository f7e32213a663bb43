import { partition, recursionDetectionMiddleware } from "@aws-sdk/core/client";
import { fromEnv } from "@aws-sdk/credential-provider-env";
import { Sha256 } from "@smithy/core/checksum";
import { ServiceException } from "@smithy/core/client";
import { HttpRequest, type HttpResponse, loadRestJsonErrorCode } from "@smithy/core/protocols";
import { RETRY_MODES, resolveRetryConfig, retryMiddleware } from "@smithy/core/retry";
import { Uint8ArrayBlobAdapter } from "@smithy/core/serde";
import { NodeHttpHandler, streamCollector } from "@smithy/node-http-handler";
import { SignatureV4 } from "@smithy/signature-v4";
import { type HandlerExecutionContext, type NodeHttpHandlerOptions, SMITHY_CONTEXT_KEY } from "@smithy/types";

export type ClientSettings = { maxAttempts: number; requestHandler: NodeHttpHandlerOptions };

export type SendOptions = { abortSignal?: AbortSignal };

type Call = { path: string; headers: Readonly<Record<string, string>>; body: string };

/**
 * Posts signed calls to an AWS service, for clients that know a single operation. The SDK's clients describe all
 * operations of their service, and loading the rest would take a fifth of a cold start. Signatures, retries and HTTP
 * still come from the SDK.
 */
export class SignedClient {
  readonly #endpoint: URL;
  readonly #signer: SignatureV4;
  readonly #handler: ReturnType<typeof NodeHttpHandler.create>;
  readonly #retried: ReturnType<typeof retryMiddleware>;

  constructor(service: "lambda" | "sqs" | "ssm", { maxAttempts, requestHandler }: ClientSettings) {
    const { AWS_REGION: region = "" } = process.env;
    const endpoint = process.env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`];
    this.#endpoint = new URL(endpoint ?? `https://${service}.${region}.${partition(region).dnsSuffix}`);
    this.#signer = new SignatureV4({ service, region, credentials: fromEnv(), sha256: Sha256 });
    this.#handler = NodeHttpHandler.create(requestHandler);
    this.#retried = retryMiddleware(resolveRetryConfig({ maxAttempts, retryMode: RETRY_MODES.STANDARD }));
  }

  /**
   * Sends a call and returns the response's headers and body.
   *
   * @throws {ServiceException} if the service answers with an error
   */
  async send(input: object, call: Call, { abortSignal }: SendOptions = {}) {
    const attempt = async ({ request }: { request: unknown }) => {
      const signed = await this.#signer.sign(request as HttpRequest);
      const { response } = await this.#handler.handle(signed as HttpRequest, {
        ...(abortSignal && { abortSignal }),
      });
      return { response, output: await outputOf(response) };
    };
    const context = { [SMITHY_CONTEXT_KEY]: { abortSignal } } as HandlerExecutionContext;
    const traced = recursionDetectionMiddleware()(this.#retried(attempt, context), context);
    const { output } = await traced({ input, request: this.#requestFor(call) });
    return output;
  }

  #requestFor({ path, headers, body }: Call): HttpRequest {
    const { protocol, hostname, port, host, pathname } = this.#endpoint;
    return new HttpRequest({
      method: "POST",
      protocol,
      hostname,
      ...(port !== "" && { port: Number(port) }),
      path: pathname.replace(/\/$/, "") + path,
      headers: { host, "content-length": String(Buffer.byteLength(body)), ...headers },
      body,
    });
  }
}

async function outputOf(response: HttpResponse) {
  const { statusCode, headers } = response;
  const body = Uint8ArrayBlobAdapter.mutate(await streamCollector(response.body));
  const $metadata = { httpStatusCode: statusCode, requestId: headers["x-amzn-requestid"] ?? "" };
  if (statusCode < 300) return { $metadata, headers, body };
  const { message, Message, ...fields } = errorIn(body.transformToString());
  const error = new ServiceException({
    name: loadRestJsonErrorCode(response, fields) ?? "Unknown",
    message: message ?? Message ?? "UnknownError",
    $fault: statusCode < 500 ? "client" : "server",
    $metadata,
  });
  // Hides the response from logs, but keeps it for retries, which read from its headers how long to wait.
  throw Object.defineProperty(error, "$response", { value: response });
}

/** Finds the error in a response. A proxy may answer with text that is not JSON. */
function errorIn(body: string): Record<string, string> {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}
