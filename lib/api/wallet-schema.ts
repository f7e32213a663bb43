import * as v from "valibot";
import { networks } from "../domain/network.ts";
import { colorTags } from "../domain/wallet.ts";
import { TimestampSchema } from "./scalars.ts";

/** `network` comes first, so that a wrong one is reported before the key, whose format depends on it. */
export const ImportWalletSchema = v.pipe(
  v.strictObject({
    network: v.picklist(networks),
    privateKey: v.pipe(
      v.string(),
      v.metadata({ description: "Hex for EVM networks, base58 for Solana. Never returned, never logged." }),
    ),
  }),
  v.title("ImportWallet"),
);

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
  v.title("Wallet"),
);

export const WalletsSchema = v.array(WalletSchema);
