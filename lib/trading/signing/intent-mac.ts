import { createHash } from "node:crypto";
import {
  GenerateMacCommand,
  type KMSClient,
  type KMSClientConfig,
  KMSInvalidMacException,
  VerifyMacCommand,
} from "@aws-sdk/client-kms";
import { type NoteCall, openKms } from "../../aws/kms-client.ts";
import { type IntentTerms, termsText } from "../../orders/intent.ts";
import type { Mandate } from "../../orders/resting/mandate.ts";

type Check<Terms> = (terms: Terms, mac: string, noteCall?: NoteCall) => Promise<boolean>;

/**
 * Makes or checks MACs over intents and mandates, with one key. A function's role allows only one of the two. placeOrder
 * has a key for orders and mandates, and fireOrders a key of its own for children, so neither can do the other's part.
 */
export type Macs = {
  /** Returns the MAC as base64. */
  makeMac(intent: IntentTerms): Promise<string>;
  makeMandateMac(mandate: Mandate): Promise<string>;
  makeChildMac(intent: IntentTerms): Promise<string>;
  checkMac: Check<IntentTerms>;
  checkMandateMac: Check<Mandate>;
  checkChildMac: Check<IntentTerms>;
};

/** Checks the MACs of orders: those of users by placeOrder's key, and children by the key of fireOrders. */
export type MacChecks = {
  checkOrder: Check<IntentTerms>;
  checkMandateMac: Check<Mandate>;
};

export const checksBy = (
  ofPlacer: Pick<Macs, "checkMac" | "checkMandateMac">,
  ofFirer: Pick<Macs, "checkChildMac">,
): MacChecks => ({
  checkOrder: (intent, ...rest) =>
    intent.parent === undefined ? ofPlacer.checkMac(intent, ...rest) : ofFirer.checkChildMac(intent, ...rest),
  checkMandateMac: ofPlacer.checkMandateMac,
});

const MacAlgorithm = "HMAC_SHA_256";

/**
 * @param keyId The id of a KMS key with the spec HMAC_256.
 * @param tableId The id of the orders' table. A restored table has a different id, so the MACs in it are void.
 */
export const openMacs = (keyId: string, tableId: string, config: KMSClientConfig = {}): Macs =>
  macsOf(openKms(config), keyId, tableId);

/** Makes and checks MACs with an open KMS client. */
export function macsOf(client: KMSClient, KeyId: string, tableId: string): Macs {
  const makes =
    (use: Use) =>
    async (terms: IntentTerms | Mandate): Promise<string> => {
      const Message = messageFor(use, terms, tableId);
      const { Mac } = await client.send(new GenerateMacCommand({ KeyId, MacAlgorithm, Message }));
      if (Mac === undefined) throw new Error("KMS returned no MAC");
      return Buffer.from(Mac).toString("base64");
    };
  const checks =
    (use: Use): Check<IntentTerms | Mandate> =>
    async (terms, mac, noteCall = () => undefined) => {
      // Checks the form of the MAC first, because KMS throws for an empty MAC and accepts any form of base64.
      const Mac = Buffer.from(mac, "base64");
      if (Mac.length !== macBytes || Mac.toString("base64") !== mac) return false;
      const Message = messageFor(use, terms, tableId);
      try {
        const { MacValid, $metadata } = await client.send(
          new VerifyMacCommand({ KeyId, MacAlgorithm, Message, Mac }),
        );
        noteCall($metadata.requestId);
        return MacValid === true;
      } catch (error) {
        if (!(error instanceof KMSInvalidMacException)) throw error;
        noteCall(error.$metadata.requestId);
        return false;
      }
    };
  return {
    makeMac: makes("intent/3"),
    makeMandateMac: makes("mandate/1"),
    makeChildMac: makes("child/1"),
    checkMac: checks("intent/3"),
    checkMandateMac: checks("mandate/1"),
    checkChildMac: checks("child/1"),
  };
}

const macBytes = 32;

/**
 * Names the purpose of the key and the kind of messages that the terms lead to. Any other purpose needs a new name. So
 * do messages that mark their orders differently, because with two kinds of marks, one order could be filled twice.
 */
type Use = "intent/3" | "child/1" | "mandate/1";

/** Encodes terms and their table as one text. It has at most about 2 KB; KMS accepts 4 KB. */
const messageFor = (use: Use, terms: IntentTerms | Mandate, tableId: string): Buffer =>
  Buffer.from(`["trading-terminal/${use}",${JSON.stringify(tableId)},${termsText(terms)}]`);

/** Identifies a mandate in the intents of its children. */
export const mandateHash = (mandate: Mandate): string =>
  createHash("sha256").update(termsText(mandate)).digest("hex");
