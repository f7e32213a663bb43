import * as v from "valibot";
import { networks } from "../core/network.ts";
import { scopes } from "../core/scope.ts";
import { isWalletName, tidyWalletName, walletNameRule } from "../wallets/wallet-name.ts";
import { decimalFormat } from "./documented.ts";
import { envelopeOf, GivenTimestampSchema, TimestampSchema } from "./scalars.ts";
import { AmountTextSchema, GivenAddressSchema, GivenAmountSchema } from "./trading-scalars.ts";

export const KeyPathSchema = v.strictObject({
  keyId: v.pipe(v.string(), v.regex(/^pk_[\w-]{20,64}$/, "must be the id of a program key")),
});

/** A list in a request that names at least one value. */
const someOf = <const Item extends v.GenericSchema>(item: Item, most: number) => {
  const rule = `must be a list of 1 to ${most}`;
  return v.pipe(v.array(item, rule), v.minLength(1, rule), v.maxLength(most, rule));
};

const mostAddresses = 100;

export const CreateKeySchema = v.pipe(
  v.strictObject({
    name: v.pipe(
      v.string(walletNameRule),
      v.transform(tidyWalletName),
      v.check(isWalletName, walletNameRule),
    ),
    publicKey: v.pipe(
      v.string(),
      v.description("Ed25519 public key: its 32 bytes in base64url, as in the field `x` of a JWK"),
    ),
    scopes: someOf(v.picklist(scopes), scopes.length),
    chains: v.optional(someOf(v.picklist(networks), networks.length)),
    wallets: v.optional(someOf(GivenAddressSchema, mostAddresses)),
    tokens: v.optional(
      v.pipe(
        someOf(GivenAddressSchema, mostAddresses),
        v.description("The tokens that the program may buy and sell"),
      ),
    ),
    maxPerOrder: v.optional(GivenAmountSchema),
    maxPerDay: v.optional(GivenAmountSchema),
    expiresAt: v.pipe(GivenTimestampSchema, v.description("At most a year from now")),
  }),
  v.title("CreateKey"),
);

export const ProgramKeySchema = v.pipe(
  v.object({
    keyId: v.string(),
    name: v.string(),
    publicKey: v.string(),
    scopes: v.array(v.picklist(scopes)),
    chains: v.exactOptional(v.array(v.picklist(networks))),
    wallets: v.exactOptional(v.array(v.string())),
    tokens: v.exactOptional(v.array(v.string())),
    maxPerOrder: v.exactOptional(
      v.pipe(
        v.string(),
        v.description("Most that one purchase may spend, in the coin of its chain"),
        decimalFormat(),
      ),
    ),
    maxPerDay: v.exactOptional(
      v.pipe(
        AmountTextSchema,
        v.description("Maximum to spend on each chain per day in UTC, in its coin, including network fees"),
      ),
    ),
    createdAt: TimestampSchema,
    expiresAt: TimestampSchema,
    revokedAt: v.exactOptional(TimestampSchema),
  }),
  v.title("ProgramKey"),
  v.description(
    "The public key of a program, and what the program may do. A limit that is absent does not apply. Limits bound orders, not reads and cancellations.",
  ),
);

export const KeyAnswerSchema = envelopeOf(v.object({ key: ProgramKeySchema }));
export const KeysAnswerSchema = envelopeOf(v.object({ keys: v.array(ProgramKeySchema) }));
