import type { Kms } from "./kms.ts";

type SdkRequest = { headers: Record<string, string>; body?: unknown };
type SdkResponse = { statusCode: number; headers: Record<string, string>; body: Uint8Array };

/** Connects the SDK's client to the emulation without a socket: `new KMSClient({ requestHandler, … })`. */
export function kmsRequestHandler(kms: Kms) {
  return {
    async handle(request: SdkRequest): Promise<{ response: SdkResponse }> {
      const target = request.headers["x-amz-target"] ?? "";
      const { status, body } = kms.handle(target, JSON.parse(bodyText(request.body)));
      return {
        response: {
          statusCode: status,
          headers: { "content-type": "application/x-amz-json-1.1" },
          body: Buffer.from(JSON.stringify(body)),
        },
      };
    },
  };
}

function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new TypeError("The SDK sent a body that is neither text nor bytes");
}
