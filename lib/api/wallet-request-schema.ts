import * as v from "valibot";
import { walletLabels } from "./wallet-schema.ts";

export const WalletPathSchema = v.strictObject({
  walletId: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, "must be the id of a wallet")),
});

export const UpdateWalletSchema = v.pipe(
  v.strictObject(walletLabels),
  v.forward(
    v.check(
      (labels) => Object.values(labels).some((label) => label !== undefined),
      "or colortag is required",
    ),
    ["slotName"],
  ),
  v.title("UpdateWallet"),
  v.description(
    "Only what to change. `null` goes back to the default, which follows from the wallet's slot.",
  ),
);
