import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import {
  type ApiGatewayManagementApiClientResolvedConfig,
  PostToConnection$,
  PostToConnectionCommand,
  type PostToConnectionCommandOutput,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { getEndpointFromInstructions, toEndpointV1 } from "@smithy/core/endpoints";
import { extendedEncodeURIComponent, HttpRequest, type HttpResponse } from "@smithy/core/protocols";
import { operation } from "@smithy/core/schema";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Checksum, ClientProtocol, HandlerExecutionContext, SourceData } from "@smithy/types";
import { keepDeadline } from "./deadline.ts";

type Config = ApiGatewayManagementApiClientResolvedConfig;
type Message = { ConnectionId: string; Data: string };
type Output = PostToConnectionCommandOutput;

/**
 * Posts a text to a connection like PostToConnectionCommand, but takes a third of the processor time. It uses the SDK's
 * endpoint, signer, HTTP handler and errors. It skips the SDK's middleware, so it makes only one attempt. The client
 * needs `cacheMiddleware`.
 */
export class Post extends PostToConnectionCommand {
  constructor(message: Message) {
    super(message);
  }

  override resolveMiddleware(_: unknown, config: Config) {
    const post = poster(config);
    return async ({ input }: { input: object }) => ({
      output: await post(input as Message),
      response: undefined,
    });
  }
}

const [, ...description] = PostToConnection$;
const postToConnection = operation(...description);

function poster(config: Config): (message: Message) => Promise<Output> {
  const { credentials, region, requestHandler } = config;
  const protocol = config.protocol as ClientProtocol<HttpRequest, HttpResponse>;
  const context = config as Config & HandlerExecutionContext & { endpoint: never };
  const signer = new SignatureV4({ credentials, region, service: "execute-api", sha256: Sha256 });
  let endpoint: ReturnType<typeof endpointOf> | undefined;
  let last = { body: "", digest: "" };

  return keepDeadline(async ({ ConnectionId, Data: body }: Message) => {
    // Reuses the digest of the body, because thousands of connections in a row get the same body.
    if (body !== last.body) last = { body, digest: hash("sha256", body) };
    endpoint ??= endpointOf(config);
    const { host, path, ...place } = await endpoint;
    const request = new HttpRequest({
      ...place,
      method: "POST",
      path: `${path}/@connections/${extendedEncodeURIComponent(ConnectionId)}`,
      headers: { host, "x-amz-content-sha256": last.digest },
      body,
    });
    try {
      const { response } = await requestHandler.handle((await signer.sign(request)) as HttpRequest);
      if (response.statusCode !== 200)
        return await protocol.deserializeResponse<Output>(postToConnection, context, response);
      // Discards the response's body, which frees the socket.
      response.body.resume();
      return { $metadata: { httpStatusCode: 200 } };
    } catch (error) {
      // Adds the number of attempts, as the SDK does. If there is no status, no response arrived.
      const { $metadata } = error as Partial<Output>;
      throw Object.assign(error as Error, { $metadata: { ...$metadata, attempts: 1 } });
    }
  });
}

async function endpointOf(config: Config) {
  const { protocol, hostname, port, path } = toEndpointV1(
    await getEndpointFromInstructions({}, PostToConnectionCommand, config),
  );
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  return { protocol, hostname, host, path: path.replace(/\/$/, ""), ...(port !== undefined && { port }) };
}

/** Caches the keys of recent signatures, because preparing a key takes Node longer than using it. */
const keys = new Map<string, KeyObject>();

function prepared(secret: SourceData): KeyObject {
  const bytes = Buffer.from(secret as Uint8Array);
  const name = bytes.toString("latin1");
  const known = keys.get(name);
  if (known !== undefined) return known;
  // Forgets old keys. Signing keys change once a day, and whenever the credentials change.
  if (keys.size >= 10) keys.clear();
  const key = createSecretKey(bytes);
  keys.set(name, key);
  return key;
}

/** Hashes one chunk with SHA-256, or with HMAC if there is a secret. The signer calls no other methods. */
class Sha256 implements Checksum {
  readonly #secret: SourceData | undefined;
  #chunk: Uint8Array = new Uint8Array();

  constructor(secret?: SourceData) {
    this.#secret = secret;
  }

  update(chunk: Uint8Array) {
    this.#chunk = chunk;
  }

  async digest() {
    if (this.#secret === undefined) return hash("sha256", this.#chunk, "buffer");
    return createHmac("sha256", prepared(this.#secret)).update(this.#chunk).digest();
  }

  reset() {
    this.#chunk = new Uint8Array();
  }
}
