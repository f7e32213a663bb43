import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";
import * as v from "valibot";

// Loads Node's HTTP client now: Lambda gives a function a whole processor until it is loaded.
await fetch("data:,");

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** Fetched keys are fetched again after this time. */
const freshMs = 10 * 60_000;

/**
 * Fetched keys are used for this long if they cannot be fetched again. A key that the issuer withdraws during its
 * outage stays valid that long.
 */
const usableMs = 6 * 60 * 60_000;

/** The shortest time between two fetches for unknown key ids, since anybody can invent those. */
const unknownKeyIntervalMs = 60_000;

/** The pause after a failed fetch. Without it, every request would wait for an issuer that hangs. */
const pauseMs = 10_000;

/** The limit of one request. */
const timeoutMs = 2500;

/**
 * A fetch that fails within this time is repeated once: a lost packet is not an outage. Both fit into an authorizer's
 * time.
 */
const repeatableMs = 3000;

/** The issuer's keys are needed but cannot be fetched. The token may still be valid. */
export class IssuerUnavailable extends Error {
  override readonly name = "IssuerUnavailable";
}

/**
 * Finds the key of a token among the issuer's keys. They are fetched when first needed, every ten minutes, and for an
 * unknown key id at most once a minute. The last good ones survive an outage of the issuer for six hours.
 *
 * The function rejects with {@link IssuerUnavailable} if it needs keys that it cannot fetch: all of them, or one with
 * an unknown key id.
 *
 * @param jwksUri The address of the issuer's keys. If empty, OpenID Connect discovery finds it.
 * @param onOutage Receives the error if fetching fails while older keys can still be used.
 */
export function issuerKeys(
  issuer: string,
  jwksUri: string,
  onOutage: (error: unknown) => void,
): JWTVerifyGetKey {
  let remote: Keys | undefined;
  let fetchedMs = Number.NEGATIVE_INFINITY;
  let failedMs = Number.NEGATIVE_INFINITY;
  const olderThan = (ms: number) => Date.now() - fetchedMs > ms;

  async function load(): Promise<Keys> {
    const keys =
      remote ??
      createRemoteJWKSet(new URL(jwksUri || (await discover(issuer))), {
        timeoutDuration: timeoutMs,
        // jose would drop its keys before it has new ones, and fetch again after every failure.
        cacheMaxAge: Number.POSITIVE_INFINITY,
        cooldownDuration: Number.POSITIVE_INFINITY,
      });
    await keys.reload();
    return keys;
  }

  async function fetchKeys(): Promise<Keys> {
    if (Date.now() - failedMs < pauseMs)
      throw new IssuerUnavailable("The issuer's keys could not be fetched");
    const begunMs = Date.now();
    try {
      remote = await load().catch((error: unknown) => {
        if (Date.now() - begunMs > repeatableMs) throw error;
        return load();
      });
      fetchedMs = Date.now();
      return remote;
    } catch (cause) {
      failedMs = Date.now();
      throw new IssuerUnavailable("The issuer's keys cannot be fetched", { cause });
    }
  }

  async function currentKeys(): Promise<Keys> {
    if (remote === undefined || olderThan(usableMs)) return fetchKeys();
    if (!olderThan(freshMs)) return remote;
    try {
      return await fetchKeys();
    } catch (error) {
      // Repeated errors during the pause have no cause and report nothing new.
      if ((error as Error).cause !== undefined) onOutage(error);
      return remote;
    }
  }

  return async (header, token) => {
    const keys = await currentKeys();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey && olderThan(unknownKeyIntervalMs))) throw error;
      await fetchKeys();
      return keys(header, token);
    }
  };
}

const Discovery = v.object({ issuer: v.string(), jwks_uri: v.pipe(v.string(), v.url()) });

async function discover(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  const document = v.parse(Discovery, await response.json());
  if (document.issuer !== issuer) throw new Error("The discovery document belongs to another issuer");
  return document.jwks_uri;
}
