import { KMSClient, type KMSClientConfig } from "@aws-sdk/client-kms";
import { keepDeadline, perAttempt } from "./deadline.ts";
import { maxAttempts, timeouts } from "./timeouts.ts";

/** Functions open their client of KMS once, at load. */
export function openKms(config: KMSClientConfig = {}): KMSClient {
  const client = new KMSClient({ requestHandler: timeouts, maxAttempts, ...config });
  client.middlewareStack.add(keepDeadline, perAttempt);
  return client;
}

/** Receives KMS's id of a call, by which CloudTrail has it. */
export type NoteCall = (kmsRequestId: string | undefined) => void;
