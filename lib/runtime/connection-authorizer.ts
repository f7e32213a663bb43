import { type Authorize, authorizer } from "./authorizer.ts";
import { connectionToken } from "./connection-token.ts";
import { withoutStack } from "./without-stack.ts";

type Options = Authorize & { cookieName: string; allowedOrigins: readonly string[] };

/**
 * Authorizes connections to the WebSocket API. That has no gateway responses: the one way to a 401 is to throw exactly
 * `Unauthorized`, where a denial would be a 403.
 */
export function connectionAuthorizer({ cookieName, allowedOrigins, ...ports }: Options) {
  return authorizer({
    ...ports,
    name: "authorizeConnection",
    tokenOf: (event) => connectionToken(event, { cookieName, allowedOrigins }),
    refuse: () => {
      throw withoutStack("Unauthorized");
    },
  });
}
