import { createKms, type Kms, kmsRequestHandler } from "cdk-local-runner/testing";

/** A KMS without keys, and the configuration of clients that reach it. */
export function openKms() {
  const kms: Kms = createKms();
  const config = {
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    requestHandler: kmsRequestHandler(kms),
    maxAttempts: 1,
  };
  return { kms, config };
}
