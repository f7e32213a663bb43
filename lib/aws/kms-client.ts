import { KMSClient, type KMSClientConfig } from "@aws-sdk/client-kms";
import { keepDeadline, perAttempt } from "./deadline.ts";
import { fixedSettings, maxAttempts, timeouts } from "./timeouts.ts";

/** Opens the KMS client of a function. Each function does this once, when it is loaded. */
export function openKms(config: KMSClientConfig = {}): KMSClient {
  const client = new KMSClient({ ...fixedSettings, requestHandler: timeouts, maxAttempts, ...config });
  client.middlewareStack.add(keepDeadline, perAttempt);
  return client;
}

/** Receives the request id of a KMS call, which identifies the call in CloudTrail. */
export type NoteCall = (kmsRequestId: string | undefined) => void;
