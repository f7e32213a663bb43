/** Turns an error's code into its name in logs and alarms: `READER_MISSING` into `ReaderMissing`. */
export const errorName = (code: string | number): string =>
  `${code}`.toLowerCase().replace(/(^|_)./g, (start) => start.slice(-1).toUpperCase());

type Options = ErrorOptions & { code?: string | number; name?: string };

/**
 * Base class of the service's errors. Messages contain no key, token, body or URL. An error needs a class of its own
 * only if some code catches it by its class.
 */
export class ServiceError extends Error {
  readonly code: string | number;
  readonly #name: string | undefined;

  /** @param options `name` sets the error's name, for a class whose errors have several codes. */
  constructor(message?: string, options: Options = {}) {
    super(message, options);
    this.code = options.code ?? "ERROR";
    this.#name = options.name;
  }

  /** Takes the name from the code, because minification changes the class's name. */
  override get name(): string {
    return this.#name ?? errorName(this.code);
  }
}
