import { describe, expect, it } from "vitest";
import {
  badCredentials,
  type Credentials,
  goodCredentials,
  noCredentials,
  type SentHeaders,
} from "../../cases/credentials.ts";
import { runsAll, sampled } from "../../cases/sample.ts";
import { forgeries } from "../../cases/tokens.ts";
import { newEvmKey } from "../../support/keys.ts";
import { get, post, sendRaw } from "../support/client.ts";
import { type Endpoint, endpoints } from "../support/endpoints.ts";
import { expectError, expectNoTraceOf, expectRefusal, expectUnauthorized } from "../support/expectations.ts";
import { itChangesNo } from "../support/terminal.ts";
import { forged } from "../support/tokens.ts";
import { someUser, twoUsers } from "../support/users.ts";

const json = ["Content-Type", "application/json"] as const;

const sendTo = ({ method, path, body }: Endpoint, headers: SentHeaders) =>
  sendRaw(method, path, [...headers, ...(body ? [json] : [])], body && JSON.stringify(body));

const user = someUser();

describe.each(endpoints)("$name", (endpoint) => {
  /**
   * All endpoints share one authorizer, so one endpoint is tested with every case, and the others with only the first.
   */
  const all = runsAll() || endpoint.name === "GET /listWallets";
  const some = (cases: readonly Credentials[]) => (all ? cases : cases.slice(0, 1));

  it.each(some(noCredentials))("refuses a request with $title, which has no token", async ({ value }) => {
    expectError(await sendTo(endpoint, value(user.token)), 401, /^No token provided$/);
  });

  it.each(some(badCredentials))("refuses a request with $title", async ({ value }) => {
    const answer = await sendTo(endpoint, value(user.token));

    expectUnauthorized(answer);
    expectNoTraceOf(user.token, answer);
  });

  it.each(some(goodCredentials))("accepts a token from $title", async ({ value }) => {
    const answer = await sendTo(endpoint, value(user.token));

    expect(answer.status, answer.text).toBe(endpoint.status);
    expectNoTraceOf(user.token, answer);
  });
});

it("refuses a token of 20 KB", async () => {
  const token = `${"e".repeat(1_000)}.${"x".repeat(18_000)}.${"y".repeat(1_000)}`;

  const answer = await get("/listWallets", { token });

  expect([400, 401, 413, 431], answer.text).toContain(answer.status);
  expectNoTraceOf(token, answer);
});

describe("a forged token", () => {
  it.each(sampled(forgeries))("refuses a forged token with $title", async ({ value: forge }) => {
    const token = await forged(forge, user.token);
    const { network, privateKey } = newEvmKey();

    const read = await get("/listWallets", { token });
    const written = await post("/storeWallet_v2", { token, body: { network, privateKey } });

    expectUnauthorized(read);
    expectUnauthorized(written);
    expectNoTraceOf(token, read);
  });

  itChangesNo("wallets", user);
});

describe("the authorizer", () => {
  it("takes the user from the header, not from the cookie", async () => {
    const [first, second] = await twoUsers();

    const answer = await get("/getUserData", {
      token: first.token,
      headers: { Cookie: `__Host-access_token=${second.token}` },
    });

    expect(answer.json).toMatchObject({ userID: first.id });
  });

  it("ignores a token in the URL", async () => {
    const answer = await get(`/listWallets?access_token=${user.token}&token=${user.token}`);

    expectError(answer, 401, /^No token provided$/);
  });

  it("checks the token before the body is parsed", async () => {
    expectRefusal(await post("/storeWallet_v2", { body: "not JSON" }), 401);
  });
});
