import type { Objection } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";

/** Decrypts the wallet's key. Refuses a key that belongs to another address. The caller wipes the key. */
export type OpenKey = (isKey: (secret: Uint8Array) => boolean) => Promise<Uint8Array | Objection>;

/** Encodes and signs a transaction that the signer's rules allow. */
export type KeySigner<F extends FamilyTypes = FamilyTypes, Configuration = unknown> = {
  sign(
    configuration: Configuration,
    asked: { intent: F["intent"]; unsigned: F["unsigned"] },
    open: OpenKey,
  ): Promise<{ hash: string; raw: string } | Objection>;
};
