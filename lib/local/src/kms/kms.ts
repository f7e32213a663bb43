import { header, type Route } from "../http/messages.ts";
import { type Policy, readPolicy } from "./key-policy.ts";
import { createKeyRing, type KeyRingOptions, type KeySpec, keyArn } from "./key-ring.ts";
import { KmsError } from "./kms-error.ts";
import { createOperations } from "./operations.ts";
import { parseRequest, type RequestName, requests } from "./requests.ts";

/** An answer of the JSON 1.1 protocol. A failure has status 400 and a body of `{ __type, message }`. */
export type KmsAnswer = { status: 200 | 400; body: object };

export type Kms = {
  /** Answers a call. `target` is the X-Amz-Target header, e.g. `TrentService.Decrypt`; `body` is parsed JSON. */
  handle(target: string, body: unknown): KmsAnswer;
  /**
   * The key of that name, created by the first call. It is symmetric unless `spec` says otherwise.
   *
   * @throws StartupError if the stored key has another spec
   */
  ensureKey(name: string, spec?: KeySpec): { keyId: string; arn: string };
  /**
   * From now on, the key is for what this document allows to the account. A key without a policy is for everything.
   *
   * @throws {Error} if the document has something that is not emulated.
   */
  setPolicy(keyId: string, document: unknown): void;
};

/** The prefix of every KMS target. */
const SERVICE = "TrentService.";

/** Emulates AWS KMS with symmetric keys and HMAC keys. It keeps everything in memory; `save` makes it durable. */
export function createKms(options: KeyRingOptions = {}): Kms {
  const ring = createKeyRing(options);
  const policies = new Map<string, Policy>();
  const operations = createOperations(ring, ({ keyId }) => policies.get(keyId));

  const run = <Name extends RequestName>(name: Name, body: unknown) =>
    operations[name](parseRequest(name, body));

  return {
    handle(target, body) {
      try {
        return { status: 200, body: run(operationName(target), body) };
      } catch (error) {
        if (!(error instanceof KmsError)) throw error;
        return { status: 400, body: { __type: error.name, message: error.message || null } };
      }
    },

    ensureKey(name, spec) {
      const key = ring.ensure(name, spec);
      return { keyId: key.keyId, arn: keyArn(key) };
    },

    setPolicy: (keyId, document) => void policies.set(ring.find(keyId).keyId, readPolicy(document)),
  };
}

function operationName(target: string): RequestName {
  const name = target.startsWith(SERVICE) ? target.slice(SERVICE.length) : "";
  if (!Object.hasOwn(requests, name)) {
    throw new KmsError("UnknownOperationException", `${target} is not emulated`);
  }
  return name as RequestName;
}

/** KMS over HTTP: the JSON 1.1 protocol, with all operations on one path. */
export function kmsService(kms: Kms): Route {
  return (request) => {
    const target = header(request, "x-amz-target");
    if (!target?.startsWith(SERVICE)) return undefined;
    const { status, body } = kms.handle(target, parse(request.body));
    return Promise.resolve({
      status,
      headers: [["Content-Type", "application/x-amz-json-1.1"]],
      body: Buffer.from(JSON.stringify(body)),
    });
  };
}

/** Undefined if the body is not JSON; then the operation refuses it as malformed. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
