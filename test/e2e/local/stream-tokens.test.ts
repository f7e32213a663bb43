import { describe, expect, test } from "vitest";
import { expectNoTraceOf } from "../support/expectations.ts";
import { claimsLike, inSeconds, signAsIssuer } from "../support/issuer.ts";
import { connect, expectToWork, type Handshake, refusalOf } from "../support/stream.ts";
import { issueToken, newUser } from "../support/users.ts";

const ways: [title: string, handshake: (token: string) => Handshake][] = [
  ["the header", (token) => ({ token })],
  ["the subprotocols", (token) => ({ subprotocols: ["access_token", token] })],
  ["the cookie", (token) => ({ headers: { Cookie: `access_token=${token}` } })],
];

describe.each(ways)("A client that brings in %s", (_, handshake) => {
  test("an expired token is refused", async () => {
    const { id } = await newUser();
    const token = await issueToken({ sub: id, expiresIn: -60 });

    const answer = await refusalOf(handshake(token));

    expect(answer.status, answer.text).toBe(401);
    expectNoTraceOf(token, answer);
  });

  test.each<[title: string, change: object]>([
    ["for another audience", { aud: "another-service" }],
    ["of another issuer", { iss: "https://issuer.example" }],
    ["that never ends", { exp: undefined }],
    ["that is not good yet", { nbf: inSeconds(3600) }],
    ["of nobody", { sub: undefined }],
  ])("a token %s is refused", async (__, change) => {
    const { token } = await newUser();

    const answer = await refusalOf(handshake(await signAsIssuer(claimsLike(token, change))));

    expect(answer.status, answer.text).toBe(401);
  });

  test("a token that the test has signed by the issuer's key is let in, so that the others are refused for what they say", async () => {
    const { token } = await newUser();

    await expectToWork(await connect(handshake(await signAsIssuer(claimsLike(token, {})))));
  });
});

test("an expired token in the header is not made up for by good ones elsewhere", async () => {
  const { id, token } = await newUser();
  const expired = await issueToken({ sub: id, expiresIn: -60 });

  const answer = await refusalOf({
    token: expired,
    subprotocols: ["access_token", token],
    headers: { Cookie: `access_token=${token}` },
  });

  expect(answer.status, answer.text).toBe(401);
});
