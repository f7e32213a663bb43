/** Turns an error's code into its name in logs and alarms: `READER_MISSING` into `ReaderMissing`. */
export const errorName = (code: string | number): string =>
  `${code}`.toLowerCase().replace(/(^|_)./g, (start) => start.slice(-1).toUpperCase());

type Options = ErrorOptions & { code?: string | number; name?: string };

/**
 * The base of the service's errors. Its message contains no key, token, body or URL. An error that nobody catches by its
 * class needs no class of its own.
 */
export class ServiceError extends Error {
  readonly code: string | number;
  readonly #name: string | undefined;

  /** @param options `name` if errors of one class have several codes. */
  constructor(message?: string, options: Options = {}) {
    super(message, options);
    this.code = options.code ?? "ERROR";
    this.#name = options.name;
  }

  /** Does not read the class's name, which minification changes. */
  override get name(): string {
    return this.#name ?? errorName(this.code);
  }
}
