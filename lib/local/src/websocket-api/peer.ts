import { randomBytes } from "node:crypto";
import type { AuthorizerContext } from "../rest-api/request-context.ts";

/** The client of a connection, as every event tells of it. */
export type Peer = {
  connectionId: string;
  /** Milliseconds since the epoch. */
  connectedAt: number;
  domainName: string;
  /** `userAgent` is absent where the client has named none. */
  identity: { userAgent?: string; sourceIp: string };
  /** What the authorizer has found, where there is one. */
  authorizer?: AuthorizerContext;
};

/** An id as API Gateway gives them to connections, messages and requests, e.g. `TXzPWdnOjoECGjA=`. Nobody guesses one. */
export function newId(): string {
  return `${randomBytes(11).toString("base64url")}=`;
}
