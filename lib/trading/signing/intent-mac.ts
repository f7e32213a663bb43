import {
  GenerateMacCommand,
  type KMSClient,
  type KMSClientConfig,
  KMSInvalidMacException,
  VerifyMacCommand,
} from "@aws-sdk/client-kms";
import { type NoteCall, openKms } from "../../aws/kms-client.ts";
import { type IntentTerms, intentText } from "../../orders/intent.ts";

/** Makes or checks MACs over intents. A function's role allows only one of the two. */
export type Macs = {
  /** Returns the MAC as base64. */
  makeMac(intent: IntentTerms): Promise<string>;
  checkMac: (intent: IntentTerms, mac: string, noteCall?: NoteCall) => Promise<boolean>;
};

const MacAlgorithm = "HMAC_SHA_256";

/**
 * @param keyId The id of a KMS key with the spec HMAC_256.
 * @param tableId The id of the orders' table. A restored table has a different id, so the MACs in it are void.
 */
export const openMacs = (keyId: string, tableId: string, config: KMSClientConfig = {}): Macs =>
  macsOf(openKms(config), keyId, tableId);

/** Makes and checks MACs with an open KMS client. */
export function macsOf(client: KMSClient, KeyId: string, tableId: string): Macs {
  const messageOf = (intent: IntentTerms) => messageFor(intent, tableId);
  return {
    async makeMac(intent) {
      const command = new GenerateMacCommand({ KeyId, MacAlgorithm, Message: messageOf(intent) });
      const { Mac } = await client.send(command);
      if (Mac === undefined) throw new Error("KMS returned no MAC");
      return Buffer.from(Mac).toString("base64");
    },
    async checkMac(intent, mac, noteCall = () => undefined) {
      // Checks the form of the MAC first, because KMS throws for an empty MAC and accepts any form of base64.
      const Mac = Buffer.from(mac, "base64");
      if (Mac.length !== macBytes || Mac.toString("base64") !== mac) return false;
      try {
        const { MacValid, $metadata } = await client.send(
          new VerifyMacCommand({ KeyId, MacAlgorithm, Message: messageOf(intent), Mac }),
        );
        noteCall($metadata.requestId);
        return MacValid === true;
      } catch (error) {
        if (!(error instanceof KMSInvalidMacException)) throw error;
        noteCall(error.$metadata.requestId);
        return false;
      }
    },
  };
}

const macBytes = 32;

/**
 * Names the purpose of the key and the kind of messages that an intent leads to. Any other purpose needs a new name. So
 * do messages that mark their orders differently, because with two kinds of marks, one order could be filled twice.
 */
const use = "trading-terminal/intent/3";

/** Encodes an intent and its table as one text. It has at most about 1 KB; KMS accepts 4 KB. */
const messageFor = (intent: IntentTerms, tableId: string): Buffer =>
  Buffer.from(`[${JSON.stringify(use)},${JSON.stringify(tableId)},${intentText(intent)}]`);
