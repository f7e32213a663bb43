import { type Case, casesOf } from "./sample.ts";

/** Request headers, in the order in which they are sent. */
export type SentHeaders = (readonly [name: string, value: string])[];

type HeadersWith = (token: string) => SentHeaders;

/** A test case whose request headers are made from a valid token. */
export type Credentials = Case & { value: HeadersWith };

/** Requests without a token. */
export const noCredentials: readonly Credentials[] = casesOf<HeadersWith>({
  "no headers": [["no credentials", () => []]],
  "no cookie of the name": [
    [
      "cookies of other names",
      () => [["Cookie", "session=1; __Host-access_token2=a.b.c; x__Host-access_token=a.b.c"]],
    ],
    ["an empty cookie header", () => [["Cookie", ""]]],
    ["an empty token in the cookie", () => [["Cookie", "__Host-access_token="]]],
  ],
});

/** Requests whose token has an unaccepted form. */
export const badCredentials: readonly Credentials[] = casesOf<HeadersWith>({
  "not a token": [
    ["a word that is not a token", () => [["Authorization", "Bearer garbage"]]],
    ["dots for a token", () => [["Authorization", "Bearer .."]]],
    ["three words with dots", () => [["Authorization", "Bearer a.b.c"]]],
    ["the five parts of an encrypted token", () => [["Authorization", "Bearer a.b.c.d.e"]]],
    ["8 KB of garbage", () => [["Authorization", `Bearer ${"x".repeat(8_000)}`]]],
  ],
  "another scheme": [
    ["the token as Basic", (token) => [["Authorization", `Basic ${token}`]]],
    ["Basic credentials", () => [["Authorization", `Basic ${Buffer.from("a:b").toString("base64")}`]]],
    ["the token without Bearer", (token) => [["Authorization", token]]],
    ["Bearer without the space", (token) => [["Authorization", `Bearer${token}`]]],
    ["Bearer without a token", () => [["Authorization", "Bearer"]]],
  ],
  "more than one token": [
    ["two tokens in one header", (token) => [["Authorization", `Bearer ${token}, Bearer ${token}`]]],
    ["a word after the token", (token) => [["Authorization", `Bearer ${token} more`]]],
    [
      "two Authorization headers",
      (token) => [
        ["Authorization", `Bearer ${token}`],
        ["Authorization", `Bearer ${token}`],
      ],
    ],
  ],
  "a bad cookie": [
    ["garbage in the cookie", () => [["Cookie", "__Host-access_token=garbage"]]],
    [
      "a good cookie after four bad ones",
      (token) => [["Cookie", [1, 2, 3, 4, token].map((each) => `__Host-access_token=${each}`).join("; ")]],
    ],
  ],
  "a bad header with a good cookie": [
    [
      "garbage in the header with a good cookie",
      (token) => [
        ["Authorization", "Bearer garbage"],
        ["Cookie", `__Host-access_token=${token}`],
      ],
    ],
    [
      "Basic credentials with a good cookie",
      (token) => [
        ["Cookie", `__Host-access_token=${token}`],
        ["Authorization", "Basic YTpi"],
      ],
    ],
  ],
});

/** Requests whose token has an accepted form. */
export const goodCredentials: readonly Credentials[] = casesOf<HeadersWith>({
  "the header": [
    ["the header", (token) => [["Authorization", `Bearer ${token}`]]],
    ["the header in lower case", (token) => [["authorization", `bearer ${token}`]]],
    ["the header in upper case", (token) => [["AUTHORIZATION", `BEARER ${token}`]]],
  ],
  "the cookie": [
    ["the cookie", (token) => [["Cookie", `__Host-access_token=${token}`]]],
    ["the cookie among others", (token) => [["Cookie", `a=1; __Host-access_token=${token}; b="2"`]]],
  ],
  "the first good cookie": [
    [
      "the cookie twice",
      (token) => [["Cookie", `__Host-access_token=${token}; __Host-access_token=${token}`]],
    ],
    [
      "a good cookie next to one that another program has set",
      (token) => [["Cookie", `access_token=abc123; __Host-access_token=${token}`]],
    ],
    [
      "a good cookie after a bad one",
      (token) => [["Cookie", `__Host-access_token=abc123; __Host-access_token=${token}`]],
    ],
  ],
  "the header before the cookie": [
    [
      "the header with a bad cookie",
      (token) => [
        ["Authorization", `Bearer ${token}`],
        ["Cookie", "__Host-access_token=garbage"],
      ],
    ],
  ],
});
