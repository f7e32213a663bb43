import { account } from "../account.ts";
import { header } from "../http/messages.ts";
import { type Caller, readTemplatePolicy } from "../iam/caller.ts";
import type { Policy } from "../iam/policy.ts";
import type { ServiceRoute } from "../services.ts";
import { createKeyRing, type KeyPlaces, type KeyRingOptions, type KeySpec, keyArn } from "./key-ring.ts";
import { KmsError } from "./kms-error.ts";
import { createOperations } from "./operations.ts";
import { parseRequest, type RequestName, requests } from "./requests.ts";

/** An answer in the JSON 1.1 protocol. A failure has status 400 and the body `{ __type, message }`. */
export type KmsAnswer = { status: 200 | 400; body: object };

export type Kms = {
  /**
   * Answers a call. `target` is the X-Amz-Target header, e.g. `TrentService.Decrypt`; `body` is parsed JSON. Calls
   * without a caller are the operator's.
   */
  handle(target: string, body: unknown, caller?: Caller): KmsAnswer;
  /**
   * Returns the key with the given name, and creates it first if necessary. Without `spec`, it is symmetric.
   *
   * @throws {StartupError} if the stored key has another spec
   */
  ensureKey(name: string, spec?: KeySpec, places?: KeyPlaces): { keyId: string; arn: string };
  /**
   * Sets the key's policy. Without one, the policies of roles decide alone.
   *
   * @throws {Error} if the document has something that is not emulated
   */
  setPolicy(keyId: string, document: unknown): void;
};

/** Prefix of every KMS target. */
const SERVICE = "TrentService.";

/** KMS's policy for keys without one. */
const defaultPolicy = readTemplatePolicy({
  Statement: [
    {
      Effect: "Allow",
      Principal: { AWS: `arn:${account.partition}:iam::${account.id}:root` },
      Action: "kms:*",
      Resource: "*",
    },
  ],
});

/**
 * Emulates AWS KMS with symmetric keys, HMAC keys and keys for key agreement. Everything is in memory; `save` makes it
 * durable.
 */
export function createKms(options: KeyRingOptions = {}): Kms {
  const ring = createKeyRing(options);
  const policies = new Map<string, Policy>();
  const policyOf = ({ keyId }: { keyId: string }) => policies.get(keyId) ?? defaultPolicy;

  const run = <Name extends RequestName>(name: Name, body: unknown, caller: Caller | undefined) =>
    createOperations(ring, policyOf, caller)[name](parseRequest(name, body));

  return {
    handle(target, body, caller) {
      try {
        return { status: 200, body: run(operationName(target), body, caller) };
      } catch (error) {
        if (!(error instanceof KmsError)) throw error;
        return { status: 400, body: { __type: error.name, message: error.message || null } };
      }
    },

    ensureKey(name, spec, places) {
      const key = ring.ensure(name, spec, places);
      return { keyId: key.keyId, arn: keyArn(key) };
    },

    setPolicy: (keyId, document) => void policies.set(ring.find(keyId).keyId, readTemplatePolicy(document)),
  };
}

function operationName(target: string): RequestName {
  const name = target.startsWith(SERVICE) ? target.slice(SERVICE.length) : "";
  if (!Object.hasOwn(requests, name)) {
    throw new KmsError("UnknownOperationException", `${target} is not emulated`);
  }
  return name as RequestName;
}

/** Serves KMS over HTTP: the JSON 1.1 protocol, with all operations on one path. */
export function kmsService(kms: Kms): ServiceRoute {
  return (request, caller) => {
    const target = header(request, "x-amz-target");
    if (!target?.startsWith(SERVICE)) return undefined;
    const { status, body } = kms.handle(target, parse(request.body), caller);
    return Promise.resolve({
      status,
      headers: [["Content-Type", "application/x-amz-json-1.1"]],
      body: Buffer.from(JSON.stringify(body)),
    });
  };
}

/** Parses a body. Undefined if it is not JSON; the operation then refuses it as malformed. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
