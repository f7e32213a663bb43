import { KMSClient } from "@aws-sdk/client-kms";
import type { Kms } from "../../src/kms/kms.ts";
import { kmsRequestHandler } from "../../src/kms/request-handler.ts";

/** Connects the SDK's client to a KMS without a server. */
export const clientOf = (kms: Kms): KMSClient =>
  new KMSClient({
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    requestHandler: kmsRequestHandler(kms),
    maxAttempts: 1,
  });
