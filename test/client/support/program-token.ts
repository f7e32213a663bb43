import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

export type ProgramToken = {
  header: { alg: string; typ: string; kid: string };
  claims: { sub: string; iat: number; exp: number; jti: string; htm: string; htu: string; bh?: string };
};

/** Makes the public key of `createKey` usable, as a service would. */
export const publicKeyOf = (x: string): KeyObject =>
  createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });

/** Reads a token of a program without the code of the client. Undefined if its signature is wrong. */
export function readProgramToken(token: string, publicKey: KeyObject): ProgramToken | undefined {
  const [header = "", claims = "", signature = "", ...more] = token.split(".");
  const signed = Buffer.from(`${header}.${claims}`);
  if (more.length > 0 || !verify(null, signed, publicKey, Buffer.from(signature, "base64url")))
    return undefined;
  const parsed = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  return { header: parsed(header), claims: parsed(claims) };
}

export const hashOfBody = (body: string): string => createHash("sha256").update(body).digest("base64url");
