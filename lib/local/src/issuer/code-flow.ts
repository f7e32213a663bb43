import { createHash, randomBytes } from "node:crypto";
import type { Store } from "../storage/store.ts";
import type { Issuer } from "./issuer.ts";
import { createRefreshTokens } from "./refresh-tokens.ts";

/** A page or app without a secret, which signs users in. */
export type Client = {
  clientId: string;
  /** Addresses to which users return after signing in or out. They are compared exactly. */
  redirectUris: readonly string[];
};

/** Milliseconds during which a code can be exchanged. */
const codeMs = 60_000;

const scopes = ["openid", "profile", "offline_access"];

/** A sign-in at the issuer, which later requests of the same browser use. */
type SignedIn = { user: string; signedInMs: number };

/** A checked request to sign in. */
type Request = {
  clientId: string;
  redirectUri: string;
  challenge: string;
  scope: string;
  state: string | undefined;
  nonce: string | undefined;
  prompt: string | undefined;
};

type Code = Request & SignedIn & { expiresMs: number; familyId?: string | undefined; isUsed: boolean };

/** Outcome of a request to sign in. A request that names no known page gets no redirect, so that no code leaks. */
export type Asked =
  | { outcome: "refused"; reason: string }
  | { outcome: "redirect"; location: string }
  | { outcome: "ask"; redirectUri: string; known: string | undefined };

/** Error of a token endpoint, by the codes of RFC 6749. */
export class TokenError extends Error {
  readonly code: "invalid_request" | "invalid_client" | "invalid_grant" | "unsupported_grant_type";

  constructor(code: TokenError["code"], description: string) {
    super(description);
    this.code = code;
  }
}

export type CodeFlow = ReturnType<typeof createCodeFlow>;

type Deps = {
  issuer: Issuer;
  clients: readonly Client[];
  store: Store;
  nowMs?: () => number;
};

/** Signs users in by OpenID Connect's code flow with PKCE, as strictly as issuers on the internet. */
export function createCodeFlow({ issuer, clients, store, nowMs = Date.now }: Deps) {
  const codes = new Map<string, Code>();
  const sessions = new Map<string, SignedIn>();
  const refreshTokens = createRefreshTokens(store, nowMs);
  const clientOf = (params: URLSearchParams) =>
    clients.find(({ clientId }) => clientId === params.get("client_id"));

  /** Reads a request to sign in, or the answer that refuses it. */
  function read(params: URLSearchParams): Request | Exclude<Asked, { outcome: "ask" }> {
    const client = clientOf(params);
    const redirectUri = params.get("redirect_uri") ?? "";
    if (client === undefined) return { outcome: "refused", reason: "The client_id is unknown." };
    if (!client.redirectUris.includes(redirectUri))
      return { outcome: "refused", reason: "The redirect_uri is not registered for this client." };
    const state = params.get("state") ?? undefined;
    const refuse = (error: string, description: string) =>
      ({
        outcome: "redirect",
        location: answer({ redirectUri, state }, { error, error_description: description }),
      }) as const;
    const twice = [...params.keys()].find((name, at, all) => all.indexOf(name) !== at);
    if (twice !== undefined) return refuse("invalid_request", `${twice} is given twice`);
    if (params.get("response_type") !== "code")
      return refuse("unsupported_response_type", "response_type must be code");
    const challenge = params.get("code_challenge") ?? "";
    if (!/^[\w-]{43}$/.test(challenge) || params.get("code_challenge_method") !== "S256")
      return refuse("invalid_request", "A code_challenge by the method S256 is required");
    const scope = params.get("scope") ?? "";
    const asked = scope.split(" ");
    if (!asked.includes("openid") || asked.some((each) => !scopes.includes(each)))
      return refuse("invalid_scope", `scope must have openid, and may have ${scopes.slice(1).join(" and ")}`);
    const nonce = params.get("nonce") ?? undefined;
    const prompt = params.get("prompt") ?? undefined;
    return { clientId: client.clientId, redirectUri, challenge, scope, state, nonce, prompt };
  }

  /** Address that returns a browser to its page. It names the issuer, so that a page can tell two issuers apart. */
  function answer(
    { redirectUri, state }: Pick<Request, "redirectUri" | "state">,
    fields: Record<string, string>,
  ) {
    const location = new URL(redirectUri);
    for (const [name, value] of Object.entries({
      ...fields,
      ...(state !== undefined && { state }),
      iss: issuer.url,
    }))
      location.searchParams.set(name, value);
    return location.href;
  }

  function issueCode(request: Request, signedIn: SignedIn): string {
    for (const [old, { expiresMs }] of codes) if (expiresMs + codeMs < nowMs()) codes.delete(old);
    const code = randomBytes(32).toString("base64url");
    codes.set(code, { ...request, ...signedIn, expiresMs: nowMs() + codeMs, isUsed: false });
    return answer(request, { code });
  }

  /** Exchanges a code once. Its second use ends what the first use began, because a thief may have been first. */
  async function exchange(params: URLSearchParams, clientId: string) {
    const code = codes.get(params.get("code") ?? "");
    if (code === undefined) throw new TokenError("invalid_grant", "The code is unknown");
    if (code.isUsed) {
      refreshTokens.revoke(code.familyId);
      throw new TokenError("invalid_grant", "The code has been used");
    }
    // Uses up the code even if the rest of the request is wrong, so that nobody can try verifiers.
    code.isUsed = true;
    const verifier = params.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (code.expiresMs < nowMs()) throw new TokenError("invalid_grant", "The code has expired");
    if (code.clientId !== clientId) throw new TokenError("invalid_grant", "The code is for another client");
    if (code.redirectUri !== params.get("redirect_uri"))
      throw new TokenError("invalid_grant", "The redirect_uri differs from that of the sign-in");
    if (challenge !== code.challenge)
      throw new TokenError("invalid_grant", "The code_verifier does not fit the code_challenge");
    const { user, signedInMs, scope, nonce } = code;
    const begun = scope.split(" ").includes("offline_access")
      ? refreshTokens.begin({ user, clientId, signedInMs, scope })
      : undefined;
    code.familyId = begun?.familyId;
    return tokens({ user, clientId, signedInMs, scope, nonce }, begun?.token);
  }

  async function renew(params: URLSearchParams, clientId: string) {
    const renewed = refreshTokens.rotate(params.get("refresh_token") ?? "", clientId);
    if (renewed === undefined)
      throw new TokenError("invalid_grant", "The refresh token is unknown, used up or revoked");
    return tokens({ ...renewed.grant, nonce: undefined }, renewed.token);
  }

  async function tokens(
    { scope, ...identity }: Parameters<Issuer["idToken"]>[0] & { scope: string },
    refreshToken: string | undefined,
  ) {
    const { user, signedInMs } = identity;
    const signedInSecondsAgo = Math.max(0, Math.floor((nowMs() - signedInMs) / 1000));
    return {
      ...(await issuer.token({ sub: user, username: user, signedInSecondsAgo })),
      id_token: await issuer.idToken(identity),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      scope,
    };
  }

  return {
    /** Origins whose pages may read the answers of the token endpoint. */
    origins: new Set(clients.flatMap(({ redirectUris }) => redirectUris.map((uri) => new URL(uri).origin))),

    /** Decides whether a browser must ask its user. `sessionId` is the browser's cookie. */
    ask(params: URLSearchParams, sessionId: string): Asked {
      const request = read(params);
      if ("outcome" in request) return request;
      const signedIn = sessions.get(sessionId);
      if (signedIn && request.prompt !== "login")
        return { outcome: "redirect", location: issueCode(request, signedIn) };
      if (request.prompt === "none")
        return { outcome: "redirect", location: answer(request, { error: "login_required" }) };
      return { outcome: "ask", redirectUri: request.redirectUri, known: signedIn?.user };
    },

    /** Signs a user in instead of the browser's earlier one, or refuses if the user is undefined. */
    decide(
      params: URLSearchParams,
      user: string | undefined,
      earlierId: string,
    ): Asked & { sessionId?: string } {
      const request = read(params);
      if ("outcome" in request) return request;
      if (user === undefined)
        return { outcome: "redirect", location: answer(request, { error: "access_denied" }) };
      sessions.delete(earlierId);
      const sessionId = randomBytes(32).toString("base64url");
      const signedIn = { user, signedInMs: nowMs() };
      sessions.set(sessionId, signedIn);
      return { outcome: "redirect", location: issueCode(request, signedIn), sessionId };
    },

    /** @throws {TokenError} */
    async grant(params: URLSearchParams) {
      const client = clientOf(params);
      if (client === undefined) throw new TokenError("invalid_client", "The client_id is unknown");
      const type = params.get("grant_type");
      if (type === "authorization_code") return exchange(params, client.clientId);
      if (type === "refresh_token") return renew(params, client.clientId);
      throw new TokenError(
        "unsupported_grant_type",
        "grant_type must be authorization_code or refresh_token",
      );
    },

    /** @throws {TokenError} */
    revoke(params: URLSearchParams): void {
      const client = clientOf(params);
      if (client === undefined) throw new TokenError("invalid_client", "The client_id is unknown");
      refreshTokens.revokeToken(params.get("token") ?? "", client.clientId);
    },

    endSession: (sessionId: string) => sessions.delete(sessionId),

    /** Address to which a signed-out user returns. Undefined if the request names none that is registered. */
    afterSignOut(params: URLSearchParams): string | undefined {
      const uri = params.get("post_logout_redirect_uri") ?? "";
      return clientOf(params)?.redirectUris.includes(uri) ? uri : undefined;
    },

    /** True if the request proves by an ID token that it comes from the client. */
    async isSure(params: URLSearchParams): Promise<boolean> {
      const client = clientOf(params);
      const token = params.get("id_token_hint");
      return client !== undefined && token !== null && (await issuer.isIdToken(token, client.clientId));
    },
  };
}
