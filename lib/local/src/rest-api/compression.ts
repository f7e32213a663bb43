import { deflateSync, gzipSync } from "node:zlib";
import { type GatewayRequest, type GatewayResponse, header } from "../http/messages.ts";

const codings = new Map([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
]);

/**
 * Compresses a response of at least `minimumBytes` for a client that asks for gzip or deflate. Documented: the coding that
 * the client prefers must be one of these, or else the response stays as it is.
 *
 * @param minimumBytes undefined if the API has no compression
 */
export function compressed(
  response: GatewayResponse,
  request: Pick<GatewayRequest, "headers">,
  minimumBytes: number | undefined,
): GatewayResponse {
  if (minimumBytes === undefined || response.body.length < minimumBytes) return response;
  const coding = preferredCoding(header(request, "accept-encoding") ?? "");
  const compress = codings.get(coding);
  if (compress === undefined || header(response, "content-encoding") !== undefined) return response;
  return {
    ...response,
    headers: [...response.headers, ["Content-Encoding", coding]],
    body: compress(response.body),
  };
}

/** Returns the coding with the highest weight; of several, the first. */
function preferredCoding(acceptEncoding: string): string {
  const weighted = acceptEncoding.split(",").map((part) => {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice("q=".length);
    return { coding, weight: q === undefined ? 1 : Number(q) };
  });
  const most = Math.max(...weighted.map(({ weight }) => weight));
  return weighted.find(({ weight }) => weight === most && weight > 0)?.coding ?? "";
}
