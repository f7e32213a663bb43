/** Turns an error's code into its name in logs and alarms: `READER_MISSING` into `ReaderMissing`. */
export const errorName = (code: string | number): string =>
  `${code}`.toLowerCase().replace(/(^|_)./g, (start) => start.slice(-1).toUpperCase());

type Options = ErrorOptions & { code?: string | number; name?: string };

/**
 * Base of the service's errors. Messages contain no key, token, body or URL. Only an error that some code catches by
 * its class needs a class of its own.
 */
export class ServiceError extends Error {
  readonly code: string | number;
  readonly #name: string | undefined;

  /** @param options `name` for a class whose errors have several codes. */
  constructor(message?: string, options: Options = {}) {
    super(message, options);
    this.code = options.code ?? "ERROR";
    this.#name = options.name;
  }

  /** Takes the name from the code, since minification changes the class's name. */
  override get name(): string {
    return this.#name ?? errorName(this.code);
  }
}
