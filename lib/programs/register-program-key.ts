import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { addressProblem, readAddress } from "../chains/families/address.ts";
import { chainFacts, familyOf } from "../core/chain-facts.ts";
import { DomainError } from "../core/domain-error.ts";
import { isSigningKey } from "../core/ed25519-keys.ts";
import { type Network, networks } from "../core/network.ts";
import type { Scope } from "../core/scope.ts";
import { requireFreshSignIn } from "../core/sign-in.ts";
import { unitsFrom } from "../orders/decimal-text.ts";
import { isInForce, keptUntil, mostProgramKeys, type ProgramKey } from "../orders/program-key.ts";
import { readItem, type Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import { programKeyKey, programKeyTurnKey } from "../trading/items/keys.ts";
import { programKeysOfUser, type ShownKey, shownKey } from "./program-keys.ts";

/** The terms of a key that a user asks for. */
type AskedKey = {
  name: string;
  publicKey: string;
  scopes: Scope[];
  chains?: Network[] | undefined;
  wallets?: string[] | undefined;
  tokens?: string[] | undefined;
  maxPerOrder?: string | undefined;
  maxPerDay?: string | undefined;
  expiresAt: string;
};

type Creation = { userID: string; signedInAt: Date | undefined; body: AskedKey; now: Date };

/** Counts the keys that a user has made, so that two concurrent requests cannot exceed the limit. */
type Turn = { revision: number };

/**
 * Registers the public key of a program. A repeated request gets the key that the first one made.
 *
 * @throws {DomainError} SIGN_IN_REQUIRED, KEY_LIMIT_REACHED, or INVALID_REQUEST with the field
 */
export async function registerProgramKey(
  table: Table,
  { userID, signedInAt, body, now }: Creation,
): Promise<ShownKey> {
  requireFreshSignIn(signedInAt, now);
  const terms = termsOf(body, now);
  return shownKey(await untilWritten(() => registered(table, { userID, terms, now })));
}

type Terms = ReturnType<typeof termsOf>;

/** Makes one attempt. Returns undefined if another key was made meanwhile. */
async function registered(
  table: Table,
  { userID, terms, now }: { userID: string; terms: Terms; now: Date },
): Promise<ProgramKey | undefined> {
  // Reads the turn before the keys, so that it fails the write if a key was made after both reads.
  const turn = await readItem<Turn>(table, programKeyTurnKey(userID));
  const inForce = (await programKeysOfUser(table, userID, now)).filter((key) =>
    isInForce(key, now.getTime()),
  );
  const same = inForce.find(({ publicKey }) => publicKey === terms.publicKey);
  if (same !== undefined && isDeepStrictEqual(termsIn(same), terms)) return same;
  if (same !== undefined) throw invalid("publicKey", `belongs to the key ${same.keyId} with other terms`);
  if (inForce.length >= mostProgramKeys)
    throw new DomainError(
      "KEY_LIMIT_REACHED",
      `A user can have at most ${mostProgramKeys} program keys: revoke one first`,
      { limit: mostProgramKeys },
    );
  const key: ProgramKey = {
    userID,
    keyId: `pk_${randomBytes(18).toString("base64url")}`,
    ...terms,
    createdAt: now.toISOString(),
    revision: 1,
    expiresAt: keptUntil(terms.endsAt),
  };
  const isMade = await writeOnce(table, [
    { kind: "put", key: programKeyKey(key), item: key, when: "absent" },
    {
      kind: "put",
      key: programKeyTurnKey(userID),
      item: { revision: (turn?.revision ?? 0) + 1 } satisfies Turn,
      when: turn ? { revision: turn.revision } : "absent",
    },
  ]);
  return isMade ? key : undefined;
}

/** Checks the terms of a key, and brings its addresses into the form in which orders name them. */
function termsOf(
  { name, publicKey, scopes, chains, wallets, tokens, maxPerOrder, maxPerDay, expiresAt }: AskedKey,
  now: Date,
) {
  if (!isSigningKey(publicKey))
    throw invalid("publicKey", "must be an Ed25519 public key: 32 bytes in base64url, without padding");
  const latest = new Date(now);
  latest.setUTCFullYear(now.getUTCFullYear() + 1);
  if (Date.parse(expiresAt) <= now.getTime()) throw invalid("expiresAt", "must be in the future");
  if (Date.parse(expiresAt) > latest.getTime()) throw invalid("expiresAt", "must be at most a year away");
  const allowed = chains ?? networks;
  checkAmount("maxPerOrder", maxPerOrder, allowed);
  checkAmount("maxPerDay", maxPerDay, allowed);
  return {
    name,
    publicKey,
    scopes: unique(scopes),
    ...(chains && { chains: unique(chains) }),
    ...(wallets && { wallets: addressesOf("wallets", wallets, allowed) }),
    ...(tokens && { tokens: addressesOf("tokens", tokens, allowed) }),
    ...(maxPerOrder !== undefined && { maxPerOrder }),
    ...(maxPerDay !== undefined && { maxPerDay }),
    endsAt: expiresAt,
  };
}

/** Returns the terms of a stored key. */
const termsIn = ({
  userID: _,
  keyId: __,
  createdAt: ___,
  revision: ____,
  expiresAt: _____,
  ...terms
}: ProgramKey): object => terms;

/** Checks that the amount is one of the coin of each chain, because the limit bounds orders on all of them. */
function checkAmount(field: string, amount: string | undefined, allowed: readonly Network[]): void {
  for (const network of amount === undefined ? [] : allowed)
    unitsFrom(amount as string, chainFacts[network].coin.decimals, field);
}

/** Reads each address as one of the first chain that accepts it. The chains of a family read it alike. */
function addressesOf(field: string, addresses: readonly string[], allowed: readonly Network[]): string[] {
  const families = [...new Map(allowed.map((network) => [familyOf(network), network])).values()];
  const [first] = families as [Network];
  return unique(
    addresses.map((text, index) => {
      const network = families.find((each) => addressProblem(each, text) === undefined) ?? first;
      return readAddress(network, text, `${field}.${index}`);
    }),
  );
}

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

const invalid = (field: string, problem: string) =>
  new DomainError("INVALID_REQUEST", `${field} ${problem}`, { field });
