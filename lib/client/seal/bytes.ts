export type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

export const bytesIn = (base64url: string): Bytes =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (digit) => digit.charCodeAt(0));

export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Computes the SHA-256 hash of bytes, in base64url. */
export const hashOf = async (bytes: Bytes): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

/** Builds the HPKE info, which binds a message to its use, network, key or wallet, and user (docs/wallets.md). */
export const infoFor = async (
  use: "wallet-import" | "wallet-export",
  network: string,
  id: string,
  userID: string,
): Promise<Bytes> => utf8([`trading-terminal/${use}/1`, network, id, await hashOf(utf8(userID))].join("\0"));
