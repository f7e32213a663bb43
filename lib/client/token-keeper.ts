/** Called before the first request, and with `refresh: true` when the service says that the token has expired. */
export type TokenProvider = (why: { refresh: boolean }) => Promise<string>;

/** Asks the provider once, however many requests wait for the answer. */
export class TokenKeeper {
  readonly #provider: TokenProvider | undefined;
  #token: Promise<string> | undefined;

  constructor(provider: TokenProvider | undefined) {
    this.#provider = provider;
  }

  /** The token in use; undefined if cookies serve instead. Rejects as the provider does, and asks again the next time. */
  async current(): Promise<string | undefined> {
    return this.#provider && (this.#token ?? this.#ask({ refresh: false }));
  }

  /** Replaces the token, unless another request has done so. Returns false if there is no provider to ask. */
  async replace(expired: string | undefined): Promise<boolean> {
    if (this.#provider === undefined) return false;
    const held = this.#token;
    const token = await held?.catch(() => undefined);
    if (this.#token === held && (token === undefined || token === expired)) void this.#ask({ refresh: true });
    await this.#token;
    return true;
  }

  #ask(why: { refresh: boolean }): Promise<string> {
    const asked = (async () => (this.#provider as TokenProvider)(why))();
    this.#token = asked;
    asked.catch(() => {
      if (this.#token === asked) this.#token = undefined;
    });
    return asked;
  }
}
