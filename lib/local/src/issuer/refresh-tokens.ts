import { randomBytes } from "node:crypto";
import type { Store } from "../storage/store.ts";

type Grant = { user: string; clientId: string; signedInMs: number; scope: string };

/** All refresh tokens of one sign-in. */
type Family = Grant & {
  expiresMs: number;
  /** Secret parts of the tokens that work, with the end of their lives. */
  endsMs: Record<string, number>;
};

const familyMs = 30 * 24 * 3_600_000;

/** Milliseconds for which a replaced token still works, because its page may have lost the answer with the new one. */
const graceMs = 10_000;

const secret = () => randomBytes(24).toString("base64url");

/**
 * Issues refresh tokens that rotate: each use returns a new token and ends the old one. The use of an old token ends all
 * tokens of its sign-in. The store keeps them, so pages stay signed in after a restart.
 */
export function createRefreshTokens(store: Store, nowMs: () => number) {
  const families = new Map(Object.entries(store.load<Record<string, Family>>("refresh-tokens") ?? {}));

  function save(): void {
    for (const [id, { expiresMs }] of families) if (expiresMs < nowMs()) families.delete(id);
    store.save("refresh-tokens", Object.fromEntries(families));
  }

  function add(familyId: string, { endsMs, expiresMs }: Family): string {
    const part = secret();
    endsMs[part] = expiresMs;
    save();
    return `${familyId}.${part}`;
  }

  function find(token: string, clientId: string) {
    const [familyId = "", part = ""] = token.split(".");
    const family = families.get(familyId);
    return family?.clientId === clientId ? { familyId, part, family } : undefined;
  }

  function revoke(familyId: string | undefined): void {
    if (familyId !== undefined && families.delete(familyId)) save();
  }

  return {
    begin(grant: Grant): { familyId: string; token: string } {
      const familyId = secret();
      const family = { ...grant, expiresMs: nowMs() + familyMs, endsMs: {} };
      families.set(familyId, family);
      return { familyId, token: add(familyId, family) };
    },

    /** Exchanges a token for a new one. Returns undefined if it does not work. */
    rotate(token: string, clientId: string): { grant: Grant; token: string } | undefined {
      const found = find(token, clientId);
      if (found === undefined) return undefined;
      const { familyId, part, family } = found;
      const endMs = family.endsMs[part] ?? 0;
      if (endMs < nowMs()) {
        revoke(familyId);
        return undefined;
      }
      family.endsMs[part] = Math.min(endMs, nowMs() + graceMs);
      const { user, signedInMs, scope } = family;
      return { grant: { user, clientId, signedInMs, scope }, token: add(familyId, family) };
    },

    revoke,

    revokeToken: (token: string, clientId: string) => revoke(find(token, clientId)?.familyId),
  };
}
