import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";

/** A request that a program signs. */
export type ProgramRequest = { method: string; path: string; body?: string | Uint8Array | undefined };

export type TokenForm = {
  /** Changes to the claims. `undefined` removes one. */
  claims?: Readonly<Record<string, unknown>>;
  header?: Readonly<Record<string, unknown>>;
  by?: KeyObject;
  now?: Date;
};

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Makes a key pair for a program. Signs with Node's own functions, so that tokens can also be wrong in any way. */
export function makeProgram() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");

  function tokenFor(
    { userID, keyId }: { userID: string; keyId: string },
    { method, path, body }: ProgramRequest,
    { claims = {}, header = {}, by = privateKey, now = new Date() }: TokenForm = {},
  ): string {
    const iat = Math.floor(now.getTime() / 1000);
    const hash = body && createHash("sha256").update(body).digest("base64url");
    const all = {
      sub: userID,
      iat,
      exp: iat + 60,
      jti: randomUUID(),
      htm: method,
      htu: path,
      ...(hash !== undefined && { bh: hash }),
      ...claims,
    };
    const signed = `${encoded({ alg: "EdDSA", typ: "JWT", kid: keyId, ...header })}.${encoded(all)}`;
    return `${signed}.${sign(null, Buffer.from(signed), by).toString("base64url")}`;
  }
  return { publicKey: publicKey.export({ format: "jwk" }).x as string, privateKey, tokenFor };
}
