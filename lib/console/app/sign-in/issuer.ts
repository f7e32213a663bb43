import * as oauth from "oauth4webapi";
import { type SignInConfig, SignInError } from "./config.ts";

/** A sign-in that has begun. Each of its secrets is used once. */
export type Attempt = {
  state: string;
  nonce: string;
  verifier: string;
  /** Address of the page before the sign-in, without its origin. */
  returnTo: string;
};

/** Tokens of a user. */
export type Grant = {
  /** The user's id at the service, which the access token names. */
  user: string;
  accessToken: string;
  refreshToken: string | undefined;
  idToken: string | undefined;
};

export type Issuer = ReturnType<typeof openIssuer>;

const timeoutMs = 10_000;

type Deps = { pageUrl: string; fetch?: typeof fetch };

/**
 * Speaks with an issuer by OpenID Connect's code flow with PKCE. Every failure is a {@link SignInError}.
 *
 * @param deps.pageUrl Address to which the issuer returns the user, exactly as the issuer knows it.
 */
export function openIssuer(config: SignInConfig, { pageUrl, fetch = globalThis.fetch }: Deps) {
  const url = new URL(config.issuer);
  const client: oauth.Client = { client_id: config.clientId };
  const misconfigured = (problem: string) =>
    new SignInError(
      "misconfigured",
      `The sign-in service at ${url.host} ${problem}. Tell this page's operator.`,
    );
  const options = () => ({
    [oauth.customFetch]: ask,
    [oauth.allowInsecureRequests]: url.protocol === "http:",
    signal: AbortSignal.timeout(timeoutMs),
  });

  async function ask(address: string, request: object): Promise<Response> {
    const answer = await fetch(address, request).catch(() => undefined);
    if (answer === undefined || answer.status >= 500)
      throw new SignInError(
        "unreachable",
        `The sign-in service at ${url.host} does not answer. Check your connection.`,
      );
    return answer;
  }

  let found: Promise<oauth.AuthorizationServer> | undefined;
  /** Reads the issuer's addresses once, and again after a failure. */
  function server(): Promise<oauth.AuthorizationServer> {
    found ??= discover().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  }

  async function discover(): Promise<oauth.AuthorizationServer> {
    const answer = await oauth.discoveryRequest(url, options());
    const read = await oauth.processDiscoveryResponse(url, answer).catch(() => {
      throw misconfigured("has no usable discovery document");
    });
    if (!read.authorization_endpoint || !read.token_endpoint) throw misconfigured("has no sign-in page");
    return read;
  }

  /** Translates the failures of an exchange. `over` is the reason if the issuer does not accept what it was given. */
  async function exchanged(
    exchange: Promise<oauth.TokenEndpointResponse>,
    over: SignInError,
  ): Promise<Grant> {
    const tokens = await exchange.catch((error: unknown) => {
      if (error instanceof SignInError) throw error;
      if (error instanceof oauth.ResponseBodyError && error.error === "invalid_grant") throw over;
      throw misconfigured("gave an answer that this page does not accept");
    });
    const user = subjectOf(tokens.access_token);
    if (user === undefined)
      throw misconfigured("gives no tokens for this service, so its audience may be wrong");
    return {
      user,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      idToken: tokens.id_token,
    };
  }

  return {
    /**
     * Begins a sign-in.
     *
     * @param again Demands that the user proves who they are, even if the issuer still knows them.
     */
    async begin(returnTo: string, again: boolean): Promise<{ url: string; attempt: Attempt }> {
      const { authorization_endpoint = "" } = await server();
      const attempt = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        returnTo,
      };
      const page = new URL(authorization_endpoint);
      const fields = {
        response_type: "code",
        client_id: config.clientId,
        redirect_uri: pageUrl,
        scope: config.scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
        ...(config.audience !== undefined && { audience: config.audience }),
        ...(again && { prompt: "login" }),
      };
      for (const [name, value] of Object.entries(fields)) page.searchParams.set(name, value);
      return { url: page.href, attempt };
    },

    /** Exchanges the issuer's answer for tokens. */
    async finish({ state, nonce, verifier }: Attempt, answer: URLSearchParams): Promise<Grant> {
      const found = await server();
      const checked = checkAnswer(found, answer, state);
      const exchange = async () =>
        oauth.processAuthorizationCodeResponse(
          found,
          client,
          await oauth.authorizationCodeGrantRequest(
            found,
            client,
            oauth.None(),
            checked,
            pageUrl,
            verifier,
            options(),
          ),
          { expectedNonce: nonce, requireIdToken: true },
        );
      return exchanged(
        exchange(),
        new SignInError("over", "This sign-in has expired, or was used before. Sign in once more."),
      );
    },

    /** Exchanges a refresh token for new tokens. */
    async renew(refreshToken: string): Promise<Grant> {
      const found = await server();
      const exchange = async () =>
        oauth.processRefreshTokenResponse(
          found,
          client,
          await oauth.refreshTokenGrantRequest(found, client, oauth.None(), refreshToken, options()),
        );
      const grant = await exchanged(
        exchange(),
        new SignInError("over", "Your sign-in has ended. Sign in once more."),
      );
      return { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
    },

    /** Makes a refresh token worthless, if the issuer can. */
    async revoke(refreshToken: string): Promise<void> {
      const found = await server();
      if (found.revocation_endpoint === undefined) return;
      await oauth.revocationRequest(found, client, oauth.None(), refreshToken, options());
    },

    /** Address that ends the sign-in at the issuer, too. Undefined if the issuer has none. */
    async signOutUrl(idToken: string | undefined): Promise<string | undefined> {
      const { end_session_endpoint, authorization_endpoint = "" } = await server();
      const fields = (address: string | URL, own: Record<string, string>) => {
        const page = new URL(address);
        for (const [name, value] of Object.entries({ client_id: config.clientId, ...own }))
          page.searchParams.set(name, value);
        return page.href;
      };
      // Cognito knows none of the standard's fields.
      if (isCognito(url)) return fields(new URL("/logout", authorization_endpoint), { logout_uri: pageUrl });
      if (end_session_endpoint === undefined) return undefined;
      return fields(end_session_endpoint, {
        post_logout_redirect_uri: pageUrl,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      });
    },
  };

  /** Checks the answer's state, issuer and success. */
  function checkAnswer(found: oauth.AuthorizationServer, answer: URLSearchParams, state: string) {
    try {
      return oauth.validateAuthResponse(found, client, answer, state);
    } catch (error) {
      if (!(error instanceof oauth.AuthorizationResponseError))
        throw new SignInError(
          "refused",
          `The answer did not come from the sign-in service at ${url.host}, so this page ignored it. Sign in once more.`,
        );
      if (error.error === "access_denied")
        throw new SignInError("refused", "The sign-in was cancelled or refused. Sign in to try again.");
      if (["server_error", "temporarily_unavailable"].includes(error.error))
        throw new SignInError(
          "unreachable",
          `The sign-in service at ${url.host} has a problem. Try again in a minute.`,
        );
      // Quotes only the code, because anybody can write the description.
      throw misconfigured(`refuses this page (${/^[a-z_]{1,40}$/.exec(error.error)?.[0] ?? "no reason"})`);
    }
  }
}

const isCognito = ({ hostname }: URL) => /^cognito-idp\.[a-z\d-]+\.amazonaws\.com$/.test(hostname);

/** Reads the user's id from an access token. Returns undefined if the service could not accept it. */
function subjectOf(accessToken: string): string | undefined {
  try {
    const [, claims = ""] = accessToken.split(".");
    const { sub } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as { sub?: unknown };
    return typeof sub === "string" && sub !== "" ? sub : undefined;
  } catch {
    return undefined;
  }
}
