import { type Clock, within } from "./clock.ts";

/**
 * Called before the first request, and with `refresh: true` when the token has expired, or when its refusal could not be read.
 * Fails if it takes longer than `timeoutMs`.
 */
export type TokenProvider = (why: { refresh: boolean }) => Promise<string>;

export type TokenDeps = { provider: TokenProvider | undefined; clock: Clock; timeoutMs: number };

/** Asks the provider once, however many requests wait for the answer. */
export class TokenKeeper {
  readonly #deps: TokenDeps;
  #token: Promise<string> | undefined;
  /** On this machine's clock; undefined if the token does not say, or had expired when it came, so that the clock is wrong. */
  #expiresMs: number | undefined;
  #hasDoubted = false;

  constructor(deps: TokenDeps) {
    this.#deps = deps;
  }

  /** The token in use; undefined if cookies serve instead. Rejects as the provider does, and asks again the next time. */
  async current(): Promise<string | undefined> {
    if (this.#deps.provider === undefined) return undefined;
    if (this.#token === undefined) return this.#ask({ refresh: false });
    const isOver = this.#expiresMs !== undefined && this.#deps.clock.dateMs() >= this.#expiresMs;
    return isOver ? this.#ask({ refresh: true }) : this.#token;
  }

  /** Replaces the token, unless another request has done so. Returns false if there is no provider to ask. */
  async replace(expired: string | undefined): Promise<boolean> {
    if (this.#deps.provider === undefined) return false;
    const held = this.#token;
    const token = await held?.catch(() => undefined);
    if (this.#token === held && (token === undefined || token === expired)) void this.#ask({ refresh: true });
    await this.#token;
    return true;
  }

  /**
   * Replaces a token that may be what was refused, if the provider has another. Once, until the service accepts something: a
   * broken network looks the same, and so does a user who is blocked.
   */
  async doubt(token: string | undefined): Promise<void> {
    if (this.#hasDoubted) return;
    this.#hasDoubted = true;
    const held = this.#token;
    await this.replace(token).catch(() => {
      this.#token ??= held;
    });
  }

  /** The service has accepted a token. */
  trust(): void {
    this.#hasDoubted = false;
  }

  #ask(why: { refresh: boolean }): Promise<string> {
    const { provider, clock, timeoutMs } = this.#deps;
    this.#expiresMs = undefined;
    const asked = within(
      clock,
      timeoutMs,
      (async () => {
        const token = await (provider as TokenProvider)(why);
        // The provider's failure, not the network's; and what fetch would throw has the token in its text.
        if (!isSendable(token)) throw new TypeError("The token has characters that no header can carry");
        return token;
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

function isSendable(token: string): boolean {
  try {
    return new Headers({ Authorization: token }).has("Authorization");
  } catch {
    return false;
  }
}

/** NaN if it does not say. */
function expiryMs(token: string): number {
  try {
    const [, claims = ""] = token.split(".");
    const { exp } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as { exp?: unknown };
    return Number(exp) * 1000;
  } catch {
    return Number.NaN;
  }
}
