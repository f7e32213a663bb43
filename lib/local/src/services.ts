import type { Credentials } from "./account.ts";
import { type GatewayRequest, type Handle, header, json, type Route } from "./http/messages.ts";

/**
 * The AWS services that share one server, each a route. A call has to carry the runner's access key, as every call of the SDK
 * does. This keeps web pages out, which cannot send such a header to another site.
 */
export function awsServices({ accessKeyId }: Credentials, routes: readonly Route[]): Handle {
  return async (request) => {
    if (!header(request, "authorization")?.includes(`Credential=${accessKeyId}/`)) {
      return refusal(
        403,
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
      );
    }
    for (const route of routes) {
      const answer = route(request);
      if (answer !== undefined) return answer;
    }
    return refusal(404, "UnknownOperationException", `${nameOf(request)} is not emulated`);
  };
}

/** An error in the form that the SDK reads. */
export function refusal(status: number, type: string, message: string) {
  return json(status, { __type: type, message }, ["x-amzn-ErrorType", type]);
}

function nameOf(request: GatewayRequest): string {
  return header(request, "x-amz-target") ?? `${request.method} ${request.target}`;
}
