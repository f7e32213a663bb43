import { type Authorize, authorizer, decide } from "./authorizer.ts";
import { requestToken } from "./request-token.ts";

/**
 * Authorizes calls of the REST API. A request without a good token is denied with the whole body of its 401 as context,
 * which the gateway's ACCESS_DENIED response passes on. Throwing `Unauthorized`, the other way to a 401, would count as
 * an error of the function and put a stack trace into the log for everyone who calls without a token.
 */
export function restAuthorizer({ cookieName, ...ports }: Authorize & { cookieName: string }) {
  return authorizer({
    ...ports,
    name: "authorize",
    tokenOf: (event) => requestToken(event, cookieName),
    refuse: (event, body) => decide(event, "Deny", "anonymous", { unauthorized: JSON.stringify(body) }),
  });
}
