import { type Case, casesOf } from "./sample.ts";

/** Parts of a request to connect to the stream. */
export type Handshake = {
  /** Token, sent as `Authorization: Bearer <token>`. */
  token?: string;
  headers?: Record<string, string>;
  subprotocols?: string[];
  /** Query string of the address, including the question mark. */
  query?: string;
};

type HandshakeWith = (token: string) => Handshake;

/** A handshake, made from a valid token. */
export type HandshakeCase = Case & { value: HandshakeWith };

const cookie = (token: string) => `__Host-access_token=${token}`;
const bearer = (token: string) => `Bearer ${token}`;
const foreign = "https://elsewhere.example";

/** Handshakes that the stream accepts. The response names no subprotocol. */
export const goodHandshakes: readonly HandshakeCase[] = casesOf<HandshakeWith>({
  "the header": [
    ["the header", (token) => ({ token })],
    ["the header in lower case", (token) => ({ headers: { authorization: `bearer ${token}` } })],
  ],
  "the cookie": [
    ["the cookie", (token) => ({ headers: { Cookie: cookie(token) } })],
    ["the cookie among others", (token) => ({ headers: { Cookie: `a=1; ${cookie(token)}; b="2"` } })],
  ],
  "the first good cookie": [
    [
      "a good cookie after a bad one",
      (token) => ({ headers: { Cookie: `access_token=1; ${cookie("abc123")}; ${cookie(token)}` } }),
    ],
  ],
  "the header counts from any page": [
    ["the header from a page of another site", (token) => ({ token, headers: { Origin: foreign } })],
  ],
  "the header before the cookie": [
    ["the header with a bad cookie", (token) => ({ token, headers: { Cookie: cookie("garbage") } })],
  ],
});

/** Handshakes that the stream accepts with the subprotocol `access_token`. */
export const goodSubprotocols: readonly HandshakeCase[] = casesOf<HandshakeWith>({
  "the subprotocols": [["the subprotocols", (token) => ({ subprotocols: ["access_token", token] })]],
  "the subprotocols count from any page": [
    [
      "the subprotocols from a page of another site",
      (token) => ({ subprotocols: ["access_token", token], headers: { Origin: foreign } }),
    ],
  ],
  "the subprotocols before the cookie": [
    [
      "the subprotocols with a bad cookie",
      (token) => ({ subprotocols: ["access_token", token], headers: { Cookie: cookie("garbage") } }),
    ],
  ],
  "the header before the subprotocols": [
    ["the header with bad subprotocols", (token) => ({ token, subprotocols: ["access_token", "garbage"] })],
  ],
});

/** Handshakes that are refused with 401. */
export const badHandshakes: readonly HandshakeCase[] = casesOf<HandshakeWith>({
  "a token is required": [["no token", () => ({})]],
  "a token does not count in the address": [
    ["a token in the address", (token) => ({ query: `?access_token=${token}&token=${token}` })],
    ["the form of the header in the address", (token) => ({ query: `?Authorization=Bearer%20${token}` })],
  ],
  "a token is a JWT": [
    ["a word that is not a token", () => ({ token: "garbage" })],
    ["dots for a token", () => ({ token: ".." })],
    ["an empty cookie", () => ({ headers: { Cookie: cookie("") } })],
  ],
  "the scheme is Bearer": [
    ["the token as Basic", (token) => ({ headers: { Authorization: `Basic ${token}` } })],
    ["the token without Bearer", (token) => ({ headers: { Authorization: token } })],
    [
      "two tokens in one header",
      (token) => ({ headers: { Authorization: `${bearer(token)}, ${bearer(token)}` } }),
    ],
  ],
  "the cookie counts from allowed pages only": [
    [
      "the cookie from a page of another site",
      (token) => ({ headers: { Cookie: cookie(token), Origin: foreign } }),
    ],
    [
      "the cookie from a page that hides its origin",
      (token) => ({ headers: { Cookie: cookie(token), Origin: "null" } }),
    ],
  ],
  "the subprotocols are a pair": [
    ["the token as the only subprotocol", (token) => ({ subprotocols: [token] })],
    ["the subprotocols in the wrong order", (token) => ({ subprotocols: [token, "access_token"] })],
    ["a third subprotocol", (token) => ({ subprotocols: ["access_token", token, "more"] })],
    ["no token after the subprotocol", () => ({ subprotocols: ["access_token"] })],
  ],
  "a bad header is not made up for": [
    [
      "garbage in the header with good subprotocols",
      (token) => ({ token: "garbage", subprotocols: ["access_token", token] }),
    ],
    [
      "garbage in the header with a good cookie",
      (token) => ({ token: "garbage", headers: { Cookie: cookie(token) } }),
    ],
  ],
  "bad subprotocols are not made up for": [
    [
      "garbage in the subprotocols with a good cookie",
      (token) => ({ subprotocols: ["access_token", "garbage"], headers: { Cookie: cookie(token) } }),
    ],
  ],
});
