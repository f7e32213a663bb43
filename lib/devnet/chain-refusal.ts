/** Thrown when a local chain refuses a call. */
export class ChainRefusal extends Error {
  override readonly name = "ChainRefusal";
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, { code, message, data }: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${message}`);
    this.code = code;
    this.data = data;
  }
}
