import type { KeySigner } from "../hosts/key-signer.ts";
import { addressOfSeed } from "./key.ts";
import { composeFor, signaturesBeside } from "./messages/order-message.ts";
import { joinTransaction, signMessageAndWipe } from "./messages/signed-message.ts";
import type { Sol } from "./rules/family.ts";

/** Signs messages of orders on Solana, and nothing else. */
export const solSigner: KeySigner<Sol> = {
  async sign(_, { intent, unsigned: { message, helperSignature } }, open) {
    const composed = await composeFor(intent, message);
    if (!("message" in composed)) return composed;
    const others = signaturesBeside(composed.message, message, helperSignature);
    if ("refused" in others) return others;
    const secret = await open((key) => addressOfSeed(key) === intent.wallet);
    if (!("byteLength" in secret)) return secret;
    const own = signMessageAndWipe(composed.message, secret);
    const { id, bytes } = joinTransaction(composed.message, [own, ...others]);
    return { hash: id, raw: Buffer.from(bytes).toString("base64") };
  },
};
