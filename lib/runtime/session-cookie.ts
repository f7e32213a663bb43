import { InvalidRequest } from "./validate.ts";

/** Decides from pages of which sites browsers send a cookie. */
export const sameSites = ["Strict", "Lax", "None"] as const;

export type SameSite = (typeof sameSites)[number];

export type CookieOptions = { cookieName: string; sameSite: SameSite };

/** Prefix of cookies that browsers accept only from this host, and not from other hosts of the site. */
export const sessionCookieName = (cookieName: string): string => `__Host-${cookieName}`;

/** Maximum number of bytes of a cookie's name and value. Browsers silently drop longer cookies. */
const maxCookieBytes = 4096;

/**
 * Makes the Set-Cookie header for a token.
 *
 * @throws {InvalidRequest} if the token is too long for a cookie.
 */
export function tokenCookie(
  token: string,
  expiresAt: Date,
  now: Date,
  { cookieName, sameSite }: CookieOptions,
): string {
  const name = sessionCookieName(cookieName);
  if (name.length + token.length > maxCookieBytes)
    throw new InvalidRequest(
      `The token is too long for a cookie: with its name, at most ${maxCookieBytes} bytes`,
    );
  const restSeconds = Math.floor((expiresAt.getTime() - now.getTime()) / 1000);
  return cookie(name, token, Math.max(0, restSeconds), sameSite);
}

/** Builds the Set-Cookie headers that remove the session's cookie, with and without the prefix. */
export const endedCookies = ({ cookieName, sameSite }: CookieOptions): string[] =>
  [sessionCookieName(cookieName), cookieName].map((name) => cookie(name, "", 0, sameSite));

/**
 * Builds a cookie without a Domain, so that browsers send it only to this host. Its attributes hide it from scripts.
 */
const cookie = (name: string, value: string, maxAgeSeconds: number, sameSite: SameSite) =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=${sameSite}`;
