import { describe, expect, it } from "vitest";
import type { Handshake } from "../../cases/handshakes.ts";
import { expectNoTraceOf } from "../support/expectations.ts";
import { claimsLike, inSeconds, signAsIssuer } from "../support/issuer.ts";
import { connect, expectToWork, refusalOf } from "../support/stream.ts";
import { issueToken, newUser } from "../support/users.ts";

const ways: [title: string, handshake: (token: string) => Handshake][] = [
  ["the header", (token) => ({ token })],
  ["the subprotocols", (token) => ({ subprotocols: ["access_token", token] })],
  ["the cookie", (token) => ({ headers: { Cookie: `access_token=${token}` } })],
];

describe.each(ways)("the stream with the token in %s", (_, handshake) => {
  it("refuses an expired token", async () => {
    const { id } = await newUser();
    const token = await issueToken({ sub: id, expiresIn: -60 });

    const answer = await refusalOf(handshake(token));

    expect(answer.status, answer.text).toBe(401);
    expectNoTraceOf(token, answer);
  });

  it.each<[title: string, change: object]>([
    ["for another audience", { aud: "another-service" }],
    ["of another issuer", { iss: "https://issuer.example" }],
    ["that never expires", { exp: undefined }],
    ["that is not valid yet", { nbf: inSeconds(3600) }],
    ["without a subject", { sub: undefined }],
  ])("refuses a token %s", async (__, change) => {
    const { token } = await newUser();

    const answer = await refusalOf(handshake(await signAsIssuer(claimsLike(token, change))));

    expect(answer.status, answer.text).toBe(401);
  });

  it("accepts a valid token signed by the test, so the other tokens are refused only for their claims", async () => {
    const { token } = await newUser();

    await expectToWork(await connect(handshake(await signAsIssuer(claimsLike(token, {})))));
  });
});

it("refuses an expired token in the header, even if the request has valid tokens in other places", async () => {
  const { id, token } = await newUser();
  const expired = await issueToken({ sub: id, expiresIn: -60 });

  const answer = await refusalOf({
    token: expired,
    subprotocols: ["access_token", token],
    headers: { Cookie: `access_token=${token}` },
  });

  expect(answer.status, answer.text).toBe(401);
});
