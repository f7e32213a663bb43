import { createKms, type Kms, kmsRequestHandler } from "cdk-local-runner/testing";

/** Opens a KMS without keys. Also returns the configuration for its clients. */
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
