import { createRemoteJWKSet, errors, type FlattenedJWSInput, type JWTVerifyGetKey } from "jose";
import * as v from "valibot";
import { ServiceError } from "../core/service-error.ts";

// Loads Node's HTTP client when the module is loaded, because Lambda gives the function a whole processor during that
// time.
await fetch("data:,");

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** Time after which keys are fetched again. */
const freshMs = 10 * 60_000;

/**
 * Time for which keys are used while they cannot be fetched again. A key that the issuer withdraws during its outage
 * stays valid for that long.
 */
const usableMs = 6 * 60 * 60_000;

/**
 * Limits fetches for unknown key ids, because anybody can invent such ids. After a rotation, the first tokens wait for
 * at most five seconds.
 */
const unknownKeyLimits = { intervalMs: 5000, perMinute: 6 };

/** Pause after a failed fetch. Without it, every request would have to wait if the issuer hangs. */
const pauseMs = 10_000;

/** Maximum duration of one fetch. */
const timeoutMs = 2500;

/**
 * If a fetch fails within this time, it is repeated once, because a lost packet is not an outage. Both attempts fit
 * into an authorizer's time limit.
 */
const repeatableMs = 3000;

/** Reports that the issuer's keys are needed but cannot be fetched. The token may still be valid. */
export class IssuerUnavailable extends ServiceError {
  override readonly code = "ISSUER_UNAVAILABLE";
}

/** Keys of an issuer. Both functions reject with {@link IssuerUnavailable} if keys are needed and cannot be fetched. */
export type IssuerKeys = {
  /** Finds the key of a token. */
  find: JWTVerifyGetKey;
  /** Fetches the keys again after ten minutes. Returns how many times the keys have changed. */
  version: () => Promise<number>;
};

/**
 * Opens the issuer's keys. Fetches them when they are first needed, then every ten minutes, and within limits when a
 * token has an unknown key id. If the issuer is down, uses the last good keys for six hours.
 *
 * @param jwksUri The address of the issuer's keys. If empty, OpenID Connect discovery finds it.
 * @param onOutage Receives the error if fetching fails while older keys can still be used.
 */
export function issuerKeys(issuer: string, jwksUri: string, onOutage: (error: unknown) => void): IssuerKeys {
  let remote: Keys | undefined;
  let content: string | undefined;
  let version = 0;
  let fetchedMs = Number.NEGATIVE_INFINITY;
  let failedMs = Number.NEGATIVE_INFINITY;
  let fetchesForUnknownMs: number[] = [];
  // True if the keys are older than this, or if the clock was set back, which would make old keys look recent.
  const olderThan = (ms: number) => Date.now() - fetchedMs > ms || fetchedMs > Date.now();

  async function load(): Promise<Keys> {
    const keys =
      remote ??
      createRemoteJWKSet(new URL(jwksUri || (await discover(issuer))), {
        timeoutDuration: timeoutMs,
        // Switches off jose's own caching, which would drop keys before it has new ones, and would fetch again after
        // every failure.
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
      const fetched = JSON.stringify(remote.jwks());
      if (fetched !== content) version += 1;
      content = fetched;
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
      // Reports only errors with a cause. Errors repeated during the pause have none, and contain nothing new.
      if ((error as Error).cause !== undefined) onOutage(error);
      return remote;
    }
  }

  /** Decides whether a token with an unknown key id justifies a fetch, and counts the fetch. */
  function mayFetchFor(token: FlattenedJWSInput): boolean {
    if (claimedIssuer(token) !== issuer) return false;
    // Allows a fetch after a failed one. Failed fetches have their own pause, and their error does not call the token
    // invalid.
    if (failedMs > fetchedMs) return true;
    const now = Date.now();
    const recent = fetchesForUnknownMs.filter((ms) => ms <= now && now - ms < 60_000);
    const lastMs = recent.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (recent.length >= unknownKeyLimits.perMinute || now - lastMs < unknownKeyLimits.intervalMs)
      return false;
    fetchesForUnknownMs = [...recent, now];
    return true;
  }

  return {
    async find(header, token) {
      const keys = await currentKeys();
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey && mayFetchFor(token))) throw error;
        await fetchKeys();
        return keys(header, token);
      }
    },
    async version() {
      await currentKeys();
      return version;
    },
  };
}

/** Reads the issuer named in a token, before the token's signature is verified. */
function claimedIssuer({ payload }: FlattenedJWSInput): unknown {
  try {
    return JSON.parse(Buffer.from(payload as string, "base64url").toString()).iss;
  } catch {
    return undefined;
  }
}

const Discovery = v.object({ issuer: v.string(), jwks_uri: v.pipe(v.string(), v.url()) });

async function discover(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  const document = v.parse(Discovery, await response.json());
  if (document.issuer !== issuer) throw new Error("The discovery document belongs to another issuer");
  return document.jwks_uri;
}
