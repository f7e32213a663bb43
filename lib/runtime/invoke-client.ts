import type { InvokeCommandInput, InvokeCommandOutput } from "@aws-sdk/client-lambda";
import { partition, recursionDetectionMiddleware } from "@aws-sdk/core/client";
import { fromEnv } from "@aws-sdk/credential-provider-env";
import { Sha256 } from "@smithy/core/checksum";
import { ServiceException } from "@smithy/core/client";
import {
  extendedEncodeURIComponent,
  HttpRequest,
  type HttpResponse,
  loadRestJsonErrorCode,
} from "@smithy/core/protocols";
import { RETRY_MODES, resolveRetryConfig, retryMiddleware } from "@smithy/core/retry";
import { Uint8ArrayBlobAdapter } from "@smithy/core/serde";
import { NodeHttpHandler, streamCollector } from "@smithy/node-http-handler";
import { SignatureV4 } from "@smithy/signature-v4";
import { type HandlerExecutionContext, type NodeHttpHandlerOptions, SMITHY_CONTEXT_KEY } from "@smithy/types";

// Replaces `@aws-sdk/client-lambda` in the functions' bundles. The SDK's client describes all operations of Lambda, but
// functions use only one of them, and loading the rest would take a fifth of a cold start. Signatures, retries and HTTP
// still come from the SDK.

type Input = Pick<InvokeCommandInput, "FunctionName" | "InvocationType"> & { Payload: string };

export class InvokeCommand {
  readonly input: Input;

  constructor(input: Input) {
    this.input = input;
  }
}

type Settings = { maxAttempts: number; requestHandler: NodeHttpHandlerOptions };

type SendOptions = { abortSignal?: AbortSignal };

export class LambdaClient {
  readonly #endpoint: URL;
  readonly #signer: SignatureV4;
  readonly #handler: ReturnType<typeof NodeHttpHandler.create>;
  readonly #retried: ReturnType<typeof retryMiddleware>;

  constructor({ maxAttempts, requestHandler }: Settings) {
    const { AWS_REGION: region = "", AWS_ENDPOINT_URL_LAMBDA: endpoint } = process.env;
    this.#endpoint = new URL(endpoint ?? `https://lambda.${region}.${partition(region).dnsSuffix}`);
    this.#signer = new SignatureV4({ service: "lambda", region, credentials: fromEnv(), sha256: Sha256 });
    this.#handler = NodeHttpHandler.create(requestHandler);
    this.#retried = retryMiddleware(resolveRetryConfig({ maxAttempts, retryMode: RETRY_MODES.STANDARD }));
  }

  async send(
    { input }: InvokeCommand,
    { abortSignal }: SendOptions = {},
  ): Promise<Partial<InvokeCommandOutput>> {
    const attempt = async ({ request }: { request: unknown }) => {
      const signed = await this.#signer.sign(request as HttpRequest);
      const { response } = await this.#handler.handle(signed as HttpRequest, {
        ...(abortSignal && { abortSignal }),
      });
      return { response, output: await outputOf(response) };
    };
    const context = { [SMITHY_CONTEXT_KEY]: { abortSignal } } as HandlerExecutionContext;
    const traced = recursionDetectionMiddleware()(this.#retried(attempt, context), context);
    const { output } = await traced({ input, request: this.#requestFor(input) });
    return output;
  }

  #requestFor({ FunctionName = "", InvocationType, Payload }: Input): HttpRequest {
    const { protocol, hostname, port, host, pathname } = this.#endpoint;
    const path = `/2015-03-31/functions/${extendedEncodeURIComponent(FunctionName)}/invocations`;
    return new HttpRequest({
      method: "POST",
      protocol,
      hostname,
      ...(port !== "" && { port: Number(port) }),
      path: pathname.replace(/\/$/, "") + path,
      headers: {
        host,
        "content-type": "application/octet-stream",
        "content-length": String(Buffer.byteLength(Payload)),
        ...(InvocationType && { "x-amz-invocation-type": InvocationType }),
      },
      body: Payload,
    });
  }
}

async function outputOf(response: HttpResponse) {
  const { statusCode, headers } = response;
  const body = Uint8ArrayBlobAdapter.mutate(await streamCollector(response.body));
  const $metadata = { httpStatusCode: statusCode, requestId: headers["x-amzn-requestid"] ?? "" };
  if (statusCode < 300) {
    const result = { StatusCode: statusCode, FunctionError: headers["x-amz-function-error"] };
    return { $metadata, ...result, ...(body.length > 0 && { Payload: body }) };
  }
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
