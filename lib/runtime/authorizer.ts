import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { bearerToken } from "./bearer-token.ts";
import { logFault } from "./log.ts";
import { type Claims, InvalidToken } from "./token-verifier.ts";

type Options = {
  cookieName: string;
  /** @throws {InvalidToken} */
  verify: (token: string) => Promise<Claims>;
  /** Runs for every accepted request, before it is let through. */
  admit: (claims: Claims, now: Date) => Promise<void>;
};

/**
 * The ring around the authorizer. A request without a good token is denied with the whole body of its 401 as context,
 * which the gateway's ACCESS_DENIED response passes on. Throwing `Unauthorized`, the other way to a 401, would count as
 * an error of the function and put a stack trace into the log for everyone who calls without a token.
 */
export function authorizer({ cookieName, verify, admit }: Options) {
  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    try {
      const token = bearerToken(event, cookieName);
      if (token === undefined) return deny(event, { error: "No token provided" });
      const claims = await verify(token);
      await admit(claims, new Date());
      return decide(event, "Allow", claims.sub);
    } catch (error) {
      if (error instanceof InvalidToken) {
        return deny(event, { error: error.message, ...(error.expired && { needsRefresh: true }) });
      }
      logFault("authorize", error);
      throw withoutStack("The authorizer failed");
    }
  };
}

const deny = (event: APIGatewayRequestAuthorizerEvent, body: object) =>
  decide(event, "Deny", "anonymous", { unauthorized: JSON.stringify(body) });

function decide(
  { methodArn }: APIGatewayRequestAuthorizerEvent,
  Effect: "Allow" | "Deny",
  principalId: string,
  context: Record<string, string> = {},
): APIGatewayAuthorizerResult {
  const Statement = [{ Action: "execute-api:Invoke", Effect, Resource: methodArn }];
  return { principalId, policyDocument: { Version: "2012-10-17", Statement }, context };
}

/** Lambda logs the stack of what a handler throws. */
function withoutStack(message: string): Error {
  return Object.assign(new Error(message), { stack: "" });
}
