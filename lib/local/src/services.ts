import { randomUUID } from "node:crypto";
import type { Credentials } from "./account.ts";
import {
  type GatewayRequest,
  type GatewayResponse,
  type Handle,
  header,
  json,
  type Route,
} from "./http/messages.ts";
import { type AccessRequest, type Caller, denialOf } from "./iam/caller.ts";
import type { Callers } from "./iam/callers.ts";

/**
 * Answers the requests of one service, and returns undefined for all others. Without a caller, the request is the
 * operator's.
 */
export type ServiceRoute = (
  request: GatewayRequest,
  caller: Caller | undefined,
) => Promise<GatewayResponse> | undefined;

const nobody: Pick<Callers, "find"> = { find: () => undefined };

/**
 * Joins the routes of AWS services on one server and adds a request id to each answer. Each call must carry an access
 * key of the runner, like every call of the SDK. Web pages stay out, because they cannot send such a header to another
 * site.
 *
 * @param operator credentials with all rights
 * @param callers functions with their own credentials
 */
export function awsServices(
  operator: Credentials,
  routes: readonly ServiceRoute[],
  callers: Pick<Callers, "find"> = nobody,
): Handle {
  const answer: Handle = async (request) => {
    const accessKey = accessKeyOf(request);
    const caller = callers.find(accessKey);
    if (caller === undefined && accessKey !== operator.accessKeyId) {
      return refusal(
        403,
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
      );
    }
    for (const route of routes) {
      const response = route(request, caller);
      if (response !== undefined) return response;
    }
    return refusal(404, "UnknownOperationException", `${nameOf(request)} is not emulated`);
  };
  return async (request) => {
    const { headers, ...rest } = await answer(request);
    return { ...rest, headers: [...headers, ["x-amzn-RequestId", randomUUID()]] };
  };
}

/**
 * Refuses a function's calls that the policies of its role do not allow.
 *
 * @param rightsFor lists the rights that a call needs, and none for calls of other services
 */
export function guarded(route: Route, rightsFor: (request: GatewayRequest) => AccessRequest[]): ServiceRoute {
  return (request, caller) => {
    const denials = caller ? rightsFor(request).map((needed) => denialOf(caller, needed)) : [];
    const denial = denials.find((message) => message !== undefined);
    if (denial === undefined) return route(request);
    return Promise.resolve(refusal(403, "AccessDeniedException", denial));
  };
}

/** Formats an error for the SDK. */
export function refusal(status: number, type: string, message: string) {
  return json(status, { __type: type, message }, ["x-amzn-ErrorType", type]);
}

function accessKeyOf(request: GatewayRequest): string {
  return /Credential=([^/]*)\//.exec(header(request, "authorization") ?? "")?.[1] ?? "";
}

function nameOf(request: GatewayRequest): string {
  return header(request, "x-amz-target") ?? `${request.method} ${request.target}`;
}
