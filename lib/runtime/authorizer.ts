import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { logFault } from "./log.ts";
import { type Claims, InvalidToken } from "./token-verifier.ts";
import { withoutStack } from "./without-stack.ts";

/** The body of a 401. */
export type Refused = { error: string; needsRefresh?: true };

export type Authorize = {
  /** @throws {InvalidToken} */
  verify: (token: string) => Promise<Claims>;
  /** Runs for every accepted request, before it is let through. @returns the API key that the request counts on. */
  admit: (claims: Claims, now: Date) => Promise<string>;
};

type Options = Authorize & {
  name: string;
  tokenOf: (event: APIGatewayRequestAuthorizerEvent) => string | undefined;
  /** Answers, or throws, for a request without a good token. */
  refuse: (event: APIGatewayRequestAuthorizerEvent, body: Refused) => APIGatewayAuthorizerResult;
};

type Admitted = { userID: string; usageIdentifierKey: string };

/** The ring around the authorizers: lets the bearer of a good token through, and names them. */
export function authorizer({ name, tokenOf, verify, admit, refuse }: Options) {
  async function identify(event: APIGatewayRequestAuthorizerEvent): Promise<Admitted | Refused> {
    try {
      const token = tokenOf(event);
      if (token === undefined) return { error: "No token provided" };
      const claims = await verify(token);
      return { userID: claims.sub, usageIdentifierKey: await admit(claims, new Date()) };
    } catch (error) {
      if (error instanceof InvalidToken)
        return { error: error.message, ...(error.expired && { needsRefresh: true }) };
      logFault(name, error);
      throw withoutStack("The authorizer failed");
    }
  }

  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const found = await identify(event);
    if ("error" in found) return refuse(event, found);
    const { userID, usageIdentifierKey } = found;
    return { ...decide(event, "Allow", userID), usageIdentifierKey };
  };
}

export function decide(
  { methodArn }: APIGatewayRequestAuthorizerEvent,
  Effect: "Allow" | "Deny",
  principalId: string,
  context: Record<string, string> = {},
): APIGatewayAuthorizerResult {
  const Statement = [{ Action: "execute-api:Invoke", Effect, Resource: methodArn }];
  return { principalId, policyDocument: { Version: "2012-10-17", Statement }, context };
}
