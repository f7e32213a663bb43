import * as v from "valibot";
import { networks } from "../core/network.ts";
import { colorTags } from "../wallets/wallet.ts";
import { isWalletName, tidyWalletName, walletNameRule } from "../wallets/wallet-name.ts";
import { documented, evmAddress, variantsByChain } from "./documented.ts";
import { CountSchema, envelopeOf, TimestampSchema } from "./scalars.ts";

/** Checks `network` first, because the format of the key depends on it. */
export const ImportWalletSchema = v.pipe(
  v.strictObject({
    network: v.picklist(networks),
    privateKey: v.pipe(
      v.string(),
      v.metadata({
        description: "Private key: hex for EVM networks, base58 for Solana. Never returned, never logged.",
      }),
    ),
  }),
  v.title("ImportWallet"),
);

const WalletNameSchema = v.pipe(
  v.string(walletNameRule),
  v.transform(tidyWalletName),
  v.check(isWalletName, walletNameRule),
  v.description(
    "1 to 40 code points after trimming. Emoji are allowed; control, bidi and invisible characters are not.",
  ),
);

/** Labels that a user may choose for a wallet. */
export const walletLabels = {
  slotName: v.optional(v.nullable(WalletNameSchema)),
  colortag: v.optional(v.nullable(v.picklist(colorTags))),
};

/** Describes the form of the address on each network for the API documents. */
export const walletVariants = <Input>(title: string) =>
  documented<Input>({ oneOf: variantsByChain(title, "network", { generatedWalletAddress: evmAddress }) });

/** A wallet in a list. It has no field for the private key, encrypted or not. */
export const WalletSchema = v.pipe(
  v.object({
    _id: v.string(),
    UserID: v.string(),
    generatedWalletAddress: v.string(),
    slotName: v.string(),
    colortag: v.picklist(colorTags),
    network: v.picklist(networks),
    walletType: v.picklist(["generated", "imported"]),
    createdAt: TimestampSchema,
  }),
  walletVariants("Wallet"),
  v.title("Wallet"),
);

/** A wallet on the stream. It has no field for the private key, encrypted or not. */
export const StreamedWalletSchema = v.pipe(
  v.object({
    ...WalletSchema.entries,
    version: CountSchema,
    state: v.picklist(["active", "retired"]),
  }),
  walletVariants("Wallet"),
);

export const WalletsSchema = v.array(WalletSchema);

/** Body of a successful operation on one wallet. */
export const WalletAnswerSchema = envelopeOf(v.object({ wallet: WalletSchema }));
