import bs58 from "bs58";

/**
 * Reads the little-endian fields of an account's data in order. Each method throws a RangeError if the data ends too
 * early.
 */
export class ByteReader {
  readonly #view: DataView;
  #at = 0;

  constructor(data: Uint8Array) {
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  get left(): number {
    return this.#view.byteLength - this.#at;
  }

  bytes(length: number): Uint8Array {
    if (length > this.left) throw new RangeError("The data is too short");
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#skip(length), length);
  }

  skip(length: number): this {
    this.bytes(length);
    return this;
  }

  u8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#skip(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#skip(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#skip(8), true);
  }

  u128(): bigint {
    const low = this.u64();
    return low + (this.u64() << 64n);
  }

  i128(): bigint {
    return BigInt.asIntN(128, this.u128());
  }

  address(): string {
    return bs58.encode(this.bytes(32));
  }

  addresses(count: number): string[] {
    return Array.from({ length: count }, () => this.address());
  }

  /** Reads an address. Undefined if all its bytes are zero. */
  nonZeroAddress(): string | undefined {
    const bytes = this.bytes(32);
    return bytes.some((byte) => byte !== 0) ? bs58.encode(bytes) : undefined;
  }

  /** Reads a UTF-8 text that follows its 32-bit length. Undefined if it is not valid UTF-8. */
  text(): string | undefined {
    const bytes = this.bytes(this.u32());
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined;
    }
  }

  /** Skips bytes, and returns the offset at which they began. */
  #skip(length: number): number {
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
