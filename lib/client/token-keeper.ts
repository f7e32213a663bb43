import type { AnyAnswer, AnyError } from "./answer.ts";
import { type Clock, limited } from "./clock.ts";

/**
 * Returns a token. Called before the first request, and with `refresh: true` when the token has expired or a refusal
 * could not be read. A call that takes longer than `timeoutMs` fails.
 */
export type TokenProvider = (why: { refresh: boolean }) => Promise<string>;

export type TokenDeps = { provider: TokenProvider | undefined; clock: Clock; timeoutMs: number };

/** A request or a connection that needs a token. The path is that of the service, without the query. */
export type Purpose = { method: string; path: string; body?: string | undefined };

/** Provides the tokens of all requests and connections. */
export type Tokens = Pick<TokenKeeper, "replace" | "doubt" | "trust"> & {
  /** Returns a token, or undefined if cookies are used. */
  current(purpose: Purpose): Promise<string | undefined>;
  /** Explains refusals, if each token is signed for its purpose: another one would be refused, too. */
  explain?(answer: AnyAnswer): AnyAnswer;
};

/** The error of a request for which no token could be obtained. */
export const tokenError = (cause: unknown): AnyError => ({
  status: 0,
  code: "TOKEN_ERROR",
  message: "The token provider failed",
  cause,
});

/** Asks the provider once, even if many requests wait for a token. */
export class TokenKeeper implements Tokens {
  readonly #deps: TokenDeps;
  #token: Promise<string> | undefined;
  /**
   * Time of expiry by this machine's clock. Undefined if the token has no expiry, or had already expired on arrival,
   * because this machine's clock must then be wrong.
   */
  #expiresMs: number | undefined;
  #hasDoubted = false;

  constructor(deps: TokenDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the current token, or undefined if cookies are used. Rejects with the provider's error; the next call asks
   * again.
   */
  async current(): Promise<string | undefined> {
    if (this.#deps.provider === undefined) return undefined;
    if (this.#token === undefined) return this.#ask({ refresh: false });
    const isOver = this.#expiresMs !== undefined && this.#deps.clock.dateMs() >= this.#expiresMs;
    return isOver ? this.#ask({ refresh: true }) : this.#token;
  }

  /** Replaces the token, unless another request has already done so. Returns false if there is no provider. */
  async replace(expired: string | undefined): Promise<boolean> {
    if (this.#deps.provider === undefined) return false;
    const held = this.#token;
    const token = await held?.catch(() => undefined);
    if (this.#token === held && (token === undefined || token === expired)) void this.#ask({ refresh: true });
    await this.#token;
    return true;
  }

  /**
   * Replaces a token that may have been refused, if the provider has another token. Does so only once until the service
   * accepts a request, because a broken network or a blocked user looks like a refused token.
   */
  async doubt(token: string | undefined): Promise<void> {
    if (this.#hasDoubted) return;
    this.#hasDoubted = true;
    const held = this.#token;
    await this.replace(token).catch(() => {
      this.#token ??= held;
    });
  }

  /** Records that the service has accepted a token. */
  trust(): void {
    this.#hasDoubted = false;
  }

  #ask(why: { refresh: boolean }): Promise<string> {
    const { provider, clock, timeoutMs } = this.#deps;
    this.#expiresMs = undefined;
    const asked = limited(
      clock,
      { timeoutMs },
      (async () => {
        const token: unknown = await (provider as TokenProvider)(why);
        // Checks the token here, so that the error names the provider as the cause instead of the network. The error of
        // fetch would also quote the token.
        if (typeof token === "string" && /^[ -~]+$/.test(token)) return token;
        throw new TypeError(`The provider returned ${typeof token}, which is not a token for a header`);
      })(),
    );
    this.#token = asked;
    asked.then(
      (token) => {
        const expiresMs = expiryMs(token);
        if (this.#token === asked && expiresMs > clock.dateMs()) this.#expiresMs = expiresMs;
      },
      () => {
        if (this.#token === asked) this.#token = undefined;
      },
    );
    return asked;
  }
}

/**
 * True for errors in the provider's own code, which would only occur again. A network failure of fetch is also a
 * TypeError, so the two are distinguished by their wording.
 */
export const isMistake = (error: unknown): boolean =>
  error instanceof ReferenceError ||
  (error instanceof TypeError && /\bis not\b|\bundefined\b|\bnull\b/.test(error.message));

/** Returns the time of expiry, or NaN if the token has none. */
function expiryMs(token: string): number {
  try {
    const [, claims = ""] = token.split(".");
    const { exp } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as { exp?: unknown };
    return Number(exp) * 1000;
  } catch {
    return Number.NaN;
  }
}
