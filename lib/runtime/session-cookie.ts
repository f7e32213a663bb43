import { InvalidRequest } from "./validate.ts";

/** Decides from which sites' pages browsers send a cookie. */
export const sameSites = ["Strict", "Lax", "None"] as const;

export type SameSite = (typeof sameSites)[number];

export type CookieOptions = { name: string; sameSite: SameSite };

/** Browsers silently drop a cookie if its name and value are longer. */
const maxCookieBytes = 4096;

/**
 * Makes the Set-Cookie header for a token.
 *
 * @throws {InvalidRequest} if the token is too long for a cookie.
 */
export function tokenCookie(token: string, expiresAt: Date, now: Date, options: CookieOptions): string {
  if (options.name.length + token.length > maxCookieBytes)
    throw new InvalidRequest(
      `The token is too long for a cookie: with its name, at most ${maxCookieBytes} bytes`,
    );
  const restSeconds = Math.floor((expiresAt.getTime() - now.getTime()) / 1000);
  return cookie(token, Math.max(0, restSeconds), options);
}

/** Makes the Set-Cookie header that removes the token. */
export const endedCookie = (options: CookieOptions): string => cookie("", 0, options);

/** Without a Domain, browsers send it only to this host. Its attributes hide it from scripts. */
const cookie = (value: string, maxAgeSeconds: number, { name, sameSite }: CookieOptions) =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=${sameSite}`;
