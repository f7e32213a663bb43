import * as v from "valibot";
import { networks } from "../domain/network.ts";
import { colorTags } from "../domain/wallet.ts";
import { Timestamp } from "./scalars.ts";

/** `network` comes first, so that its error is told before any doubt about the key. */
export const ImportWallet = v.pipe(
  v.strictObject({
    network: v.picklist(networks),
    privateKey: v.pipe(
      v.string(),
      v.metadata({ description: "Hex for EVM networks, base58 for Solana. Never returned, never logged." }),
    ),
  }),
  v.title("ImportWallet"),
);

/** A wallet of a list. There is no field for the private key, encrypted or not. */
export const Wallet = v.pipe(
  v.object({
    _id: v.string(),
    UserID: v.string(),
    generatedWalletAddress: v.string(),
    slotName: v.string(),
    colortag: v.picklist(colorTags),
    network: v.picklist(networks),
    walletType: v.picklist(["generated", "imported"]),
    createdAt: Timestamp,
  }),
  v.title("Wallet"),
);

export const Wallets = v.array(Wallet);
