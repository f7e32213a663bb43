import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from "aws-lambda";
import type * as v from "valibot";
import type { ErrorEnvelopeSchema } from "../api/error-schemas.ts";
import type { Scope } from "../core/scope.ts";
import { type AdmittedUser, UserBlocked } from "../plans/admit.ts";
import { rateLimitPolicy } from "../plans/method-throttles.ts";
import { inTime } from "./in-time.ts";
import { logFault, withoutStack } from "./log.ts";
import type { ProgramClaims, SignedRequest } from "./program-token.ts";
import { type OriginRules, outsider, requestOrigin } from "./request-origin.ts";
import { type Cookies, connectionTokens, requestTokens } from "./request-token.ts";
import { type Claims, InvalidToken } from "./token-verifier.ts";
import type { UnauthorizedBody } from "./unauthorized.ts";

export type AuthorizerDeps = {
  cookies: Cookies;
  origin: OriginRules;
  /**
   * Verifies a token of the issuer, or of a program for this request.
   *
   * @throws {InvalidToken}
   */
  verify: (token: string, request: SignedRequest, now: Date) => Promise<Claims | ProgramClaims>;
  /** Marks a program's token as used. Returns false if it was used before. */
  useToken: (claims: ProgramClaims, now: Date) => Promise<boolean>;
  /**
   * Runs before an accepted request is let through.
   *
   * @throws {UserBlocked}
   */
  admit: (claims: Claims, now: Date) => Promise<AdmittedUser>;
  /** Chooses the API key that a request without a user counts against. */
  strangerKey: (now: Date) => Promise<string>;
};

type Admitted = { claims: Claims | ProgramClaims; admission: AdmittedUser };

/** A program that lacks the scope of an operation. Null if no program may reach the operation. */
type WithoutScope = { claims: ProgramClaims; needed: Scope | null };

/** Scopes of the operations, by method and path. No program may reach operations without a scope. */
export type Scopes = Readonly<Record<string, Scope>>;

/** Path that a program signs to connect to the stream. */
const streamPath = "/stream";

/** Precedes the user in access logs, if a program lacks a scope. No alarm counts such requests. */
export const scopeMissing = "scope missing: ";

/**
 * Authorizes calls of the REST API. Denies a request without a valid token, and puts the body of its 401 into the
 * context, from which the gateway's ACCESS_DENIED response takes it. Throwing `Unauthorized` would also give a 401, but
 * would count as an error of the function and log a stack trace for every caller without a token. The request that ends
 * a session needs no valid token; otherwise a browser with a bad cookie could never get rid of it.
 */
export function restAuthorizer({
  cookies,
  strangerKey,
  scopes,
  ...deps
}: AuthorizerDeps & { scopes: Scopes }) {
  return authorizer({
    ...deps,
    name: "authorize",
    tokensOf: (event) => requestTokens(event, cookies),
    requestOf: ({ httpMethod, path, requestContext }) => ({
      method: httpMethod,
      paths: [path, requestContext.path],
    }),
    scopeOf: ({ httpMethod, resource }) =>
      scopes[`${httpMethod === "HEAD" ? "GET" : httpMethod} ${resource}`] ?? null,
    // Gives the request no API key, like one that bypasses the edge, and the 403 the error that a program understands.
    forbid: (event, { claims: { sub }, needed }) =>
      decide(event, "Allow", scopeMissing + sub, { forbidden: JSON.stringify(missingScope(needed)) }),
    // Keeps a program that uses up its user's limits from preventing the revocation of its key.
    keyOf: async (event, { key }) => (revokesKey(event) ? strangerKey(new Date()) : key),
    refuse: async (event, body) =>
      endsSession(event)
        ? { ...endOfSession(event), usageIdentifierKey: await strangerKey(new Date()) }
        : decide(event, "Deny", "anonymous", { unauthorized: JSON.stringify(body) }),
    // Allows a request that did not come through the edge, but gives it no API key. Every method requires a key, so API
    // Gateway answers with a 403. A denial would give a 401.
    exclude: (event) => decide(event, "Allow", outsider),
  });
}

/**
 * Authorizes connections to the WebSocket API, which has no gateway responses. Only throwing exactly `Unauthorized`
 * gives a 401; a denial would give a 403.
 */
export function connectionAuthorizer({
  cookies,
  allowedOrigins,
  ...deps
}: Omit<AuthorizerDeps, "strangerKey"> & { allowedOrigins: readonly string[] }) {
  return authorizer({
    ...deps,
    name: "authorizeConnection",
    tokensOf: (event) => connectionTokens(event, { ...cookies, allowedOrigins }),
    requestOf: () => ({ method: "GET", paths: [streamPath] }),
    scopeOf: () => "read",
    forbid: (event, { claims: { sub } }) => decide(event, "Deny", sub),
    keyOf: async (_, { key }) => key,
    refuse: async () => {
      throw withoutStack("Unauthorized");
    },
    exclude: (event) => decide(event, "Deny", outsider),
  });
}

type Options = Pick<AuthorizerDeps, "origin" | "verify" | "useToken" | "admit"> & {
  name: string;
  /** Lists the tokens of a request. The first valid one counts. */
  tokensOf: (event: APIGatewayRequestAuthorizerEvent) => string[];
  /** Returns the request as a program has to sign it. */
  requestOf: (event: APIGatewayRequestAuthorizerEvent) => SignedRequest;
  /** Returns the scope that a program needs for a request. */
  scopeOf: (event: APIGatewayRequestAuthorizerEvent) => Scope | null;
  /** Chooses the API key that the request of an admitted user counts against. */
  keyOf: (event: APIGatewayRequestAuthorizerEvent, user: AdmittedUser) => Promise<string>;
  /** Answers a program without the scope. */
  forbid: (event: APIGatewayRequestAuthorizerEvent, found: WithoutScope) => APIGatewayAuthorizerResult;
  /** Answers a request without a valid token, or throws. */
  refuse: (
    event: APIGatewayRequestAuthorizerEvent,
    body: UnauthorizedBody,
  ) => Promise<APIGatewayAuthorizerResult>;
  /** Answers a request that bypasses the required edge, without reading the request. */
  exclude: (event: APIGatewayRequestAuthorizerEvent) => APIGatewayAuthorizerResult;
};

function authorizer(options: Options) {
  const {
    name,
    origin,
    tokensOf,
    requestOf,
    scopeOf,
    verify,
    useToken,
    admit,
    keyOf,
    refuse,
    forbid,
    exclude,
  } = options;

  async function identify(
    event: APIGatewayRequestAuthorizerEvent,
  ): Promise<Admitted | WithoutScope | UnauthorizedBody> {
    try {
      const tokens = tokensOf(event);
      if (tokens.length === 0) return { error: "No token provided" };
      const now = new Date();
      const request = requestOf(event);
      const claims = await firstGood(tokens, (token) => verify(token, request, now));
      const needed = scopeOf(event);
      if (isProgram(claims) && (needed === null || !claims.key.scopes.includes(needed)))
        return { claims, needed };
      const admission = await admit(claims, now);
      const isUsed = isProgram(claims) && isWrite(request) && !(await useToken(claims, now));
      if (isUsed) throw new InvalidToken("used");
      return { claims, admission };
    } catch (error) {
      if (error instanceof InvalidToken)
        return { error: error.message, ...(error.expired && { needsRefresh: true }) };
      if (error instanceof UserBlocked) return { error: "This user is blocked" };
      logFault(name, error);
      throw withoutStack("The authorizer failed");
    }
  }

  async function decideOn(
    event: APIGatewayRequestAuthorizerEvent,
    context: Context | undefined,
  ): Promise<APIGatewayAuthorizerResult> {
    const found = await inTime(context, () => identify(event));
    if ("error" in found) return refuse(event, found);
    if ("needed" in found) return forbid(event, found);
    const { claims, admission } = found;
    const told = isProgram(claims) ? programOf(claims) : timesOf(claims);
    const said = { ...told, rateLimitPolicy: rateLimitPolicy(admission.plan, event) };
    return { ...decide(event, "Allow", claims.sub, said), usageIdentifierKey: await keyOf(event, admission) };
  }

  return async (
    event: APIGatewayRequestAuthorizerEvent,
    context?: Context,
  ): Promise<APIGatewayAuthorizerResult> => {
    const { clientIp, isAllowed } = requestOrigin(event, origin);
    const result = isAllowed ? await decideOn(event, context) : exclude(event);
    return { ...result, context: { ...result.context, clientIp } };
  };
}

/**
 * Verifies tokens in turn until one is valid.
 *
 * @throws {InvalidToken} if none is valid. Reports an expired token first, because refreshing it helps.
 */
async function firstGood<Found>(
  tokens: readonly string[],
  verify: (token: string) => Promise<Found>,
): Promise<Found> {
  const errors: unknown[] = [];
  for (const token of tokens)
    try {
      return await verify(token);
    } catch (error) {
      errors.push(error);
    }
  const isInvalid = (error: unknown) => error instanceof InvalidToken;
  const expired = errors.find((error) => isInvalid(error) && (error as InvalidToken).expired);
  // If no token has expired, prefers other errors to a 401, because a token that could not be verified may still be
  // valid.
  throw expired ?? errors.find((error) => !isInvalid(error)) ?? errors[0];
}

const isProgram = (claims: Claims | ProgramClaims): claims is ProgramClaims => "key" in claims;

const isWrite = ({ method }: SignedRequest): boolean => method !== "GET" && method !== "HEAD";

const sessionPath = "/api/v2/session";

const endsSession = ({ httpMethod, resource }: APIGatewayRequestAuthorizerEvent): boolean =>
  httpMethod === "DELETE" && resource === sessionPath;

/** True for the request that revokes a program key, which no program may make. */
const revokesKey = ({ httpMethod, resource }: APIGatewayRequestAuthorizerEvent): boolean =>
  httpMethod === "DELETE" && resource === "/api/v2/keys/{keyId}";

/** Allows only the request that ends a session. */
function endOfSession(event: APIGatewayRequestAuthorizerEvent): APIGatewayAuthorizerResult {
  const stage = stageOf(event.methodArn).slice(0, -1);
  return decide(event, "Allow", "anonymous", {}, `${stage}DELETE${sessionPath}`);
}

/**
 * Passes on the key of a program, and the hash of the body for the function to check. A program never signs in, so it
 * has no time of a sign-in.
 */
function programOf({ key: { keyId, endsAt }, bh }: ProgramClaims): Record<string, string> {
  return { programKeyId: keyId, programKeyEndsAt: endsAt, ...(bh !== undefined && { bodyHash: bh }) };
}

/**
 * Passes on the times of a token. Operations that need a fresh sign-in use them, and so does the cookie, which expires
 * with its token.
 */
function timesOf(claims: Claims): Record<string, string> {
  const signedInAt = signInOf(claims);
  return {
    expiresAt: String(claims.exp),
    ...(signedInAt !== undefined && { signedInAt: String(signedInAt) }),
  };
}

/**
 * Reads the time of the sign-in, in seconds. An issuer that states `auth_time` keeps it unchanged when it refreshes a
 * token. For any other issuer, uses the token's time of issue, which changes with each refresh.
 */
function signInOf({ auth_time, iat }: Claims): number | undefined {
  if (auth_time === undefined) return iat;
  return typeof auth_time === "number" ? auth_time : undefined;
}

function decide(
  { methodArn }: APIGatewayRequestAuthorizerEvent,
  Effect: "Allow" | "Deny",
  principalId: string,
  context: Record<string, string> = {},
  Resource = stageOf(methodArn),
): APIGatewayAuthorizerResult {
  const Statement = [{ Action: "execute-api:Invoke", Effect, Resource }];
  return {
    principalId,
    policyDocument: { Version: "2012-10-17", Statement },
    context: { forbidden: refused, ...context, ...loggedContext(principalId) },
  };
}

/** Body of a 403 of the gateway. It has both shapes of an error, because the gateway does not know the route's. */
const refused = JSON.stringify({ error: "The request was refused", message: "The request was refused" });

/** Builds the body of the 403 for a program without the scope of an operation. */
function missingScope(scope: Scope | null): v.InferOutput<typeof ErrorEnvelopeSchema> {
  const message = scope === null ? "No program key may do this" : `The program key lacks the scope ${scope}`;
  return {
    success: false,
    error: { code: "SCOPE_MISSING", message, details: { scope } },
    timestamp: new Date().toISOString(),
  };
}

/** Parts of an authorizer's context that are written to access logs. */
export type LoggedContext = { loggedUser: string; clientIp: string };

/**
 * Percent-encodes characters that could end or escape a JSON string. All other characters of a userID are printable
 * ASCII. Encodes `%` as well, so that different ids stay different.
 */
const loggedContext = (userID: string): Pick<LoggedContext, "loggedUser"> => ({
  loggedUser: userID.replace(/["\\%]/g, encodeURIComponent),
});

/**
 * Makes the policy cover all methods of the called stage. The call's own ARN contains the path that the caller chose:
 * API Gateway rejects an ARN above 512 characters, and IAM interprets variables and wildcards in it. Results are not
 * cached, so the policy applies to only one call.
 */
const stageOf = (methodArn: string): string => `${methodArn.split("/").slice(0, 2).join("/")}/*`;

/**
 * Reads the user from a token's claims. If users sign in by email, Cognito sets `username` to the subject, which is not
 * a display name.
 */
export function identityOf({ sub, preferred_username, nickname, username, ref }: Claims) {
  return { userID: sub, names: [preferred_username, nickname, username === sub ? undefined : username], ref };
}
