import { describe, expect, test } from "vitest";
import { get, post, sendRaw } from "../support/client.ts";
import { type Endpoint, endpoints } from "../support/endpoints.ts";
import { expectError, expectNoTraceOf, expectRefusal, expectUnauthorized } from "../support/expectations.ts";
import { newEvmKey } from "../../support/keys.ts";
import { walletsOf } from "../support/terminal.ts";
import { forgeries } from "../support/tokens.ts";
import { someUser, twoUsers } from "../support/users.ts";

type Headers = (readonly [name: string, value: string])[];

const json = ["Content-Type", "application/json"] as const;

const sendTo = ({ method, path, body }: Endpoint, headers: Headers) =>
  sendRaw(method, path, [...headers, ...(body ? [json] : [])], body && JSON.stringify(body));

describe.each(endpoints)("$name", (endpoint) => {
  test.each<[title: string, headers: Headers]>([
    ["no credentials", []],
    ["an empty cookie header", [["Cookie", ""]]],
    ["cookies of other names", [["Cookie", "session=1; access_token2=a.b.c; xaccess_token=a.b.c"]]],
  ])("refuses a request with %s, and says that there is no token", async (_, headers) => {
    expectError(await sendTo(endpoint, headers), 401, /^No token provided$/);
  });

  test.each<[title: string, headersWith: (token: string) => Headers]>([
    ["a word that is no token", () => [["Authorization", "Bearer garbage"]]],
    ["dots for a token", () => [["Authorization", "Bearer .."]]],
    ["three words with dots", () => [["Authorization", "Bearer a.b.c"]]],
    ["an encrypted token's five parts", () => [["Authorization", "Bearer a.b.c.d.e"]]],
    ["8 KB of garbage", () => [["Authorization", `Bearer ${"x".repeat(8_000)}`]]],
    ["Basic credentials", () => [["Authorization", `Basic ${Buffer.from("a:b").toString("base64")}`]]],
    ["the token as Basic", (token) => [["Authorization", `Basic ${token}`]]],
    ["the token without Bearer", (token) => [["Authorization", token]]],
    ["Bearer without the space", (token) => [["Authorization", `Bearer${token}`]]],
    ["Bearer without a token", () => [["Authorization", "Bearer"]]],
    ["a word behind the token", (token) => [["Authorization", `Bearer ${token} more`]]],
    ["two tokens in one header", (token) => [["Authorization", `Bearer ${token}, Bearer ${token}`]]],
    [
      "two Authorization headers",
      (token) => [
        ["Authorization", `Bearer ${token}`],
        ["Authorization", `Bearer ${token}`],
      ],
    ],
    ["garbage in the cookie", () => [["Cookie", "access_token=garbage"]]],
    ["an empty token in the cookie", () => [["Cookie", "access_token="]]],
    ["the cookie given twice", (token) => [["Cookie", `access_token=${token}; access_token=${token}`]]],
    [
      "garbage in the header beside a good cookie",
      (token) => [
        ["Authorization", "Bearer garbage"],
        ["Cookie", `access_token=${token}`],
      ],
    ],
    [
      "Basic credentials beside a good cookie",
      (token) => [
        ["Cookie", `access_token=${token}`],
        ["Authorization", "Basic YTpi"],
      ],
    ],
  ])("refuses %s", async (_, headersWith) => {
    const { token } = await someUser();

    const answer = await sendTo(endpoint, headersWith(token));

    expectUnauthorized(answer);
    expectNoTraceOf(token, answer);
  });

  test.each<[title: string, headersWith: (token: string) => Headers]>([
    ["the header", (token) => [["Authorization", `Bearer ${token}`]]],
    ["the header in lower case", (token) => [["authorization", `bearer ${token}`]]],
    ["the header in upper case", (token) => [["AUTHORIZATION", `BEARER ${token}`]]],
    ["the cookie", (token) => [["Cookie", `access_token=${token}`]]],
    ["the cookie among others", (token) => [["Cookie", `a=1; access_token=${token}; b="2"`]]],
    [
      "the header beside a bad cookie",
      (token) => [
        ["Authorization", `Bearer ${token}`],
        ["Cookie", "access_token=garbage"],
      ],
    ],
  ])("takes the token from %s", async (_, headersWith) => {
    const { token } = await someUser();

    const answer = await sendTo(endpoint, headersWith(token));

    expect(answer.status, answer.text).toBe(endpoint.status);
    expectNoTraceOf(token, answer);
  });

  test("refuses a token of 20 KB", async () => {
    const token = `${"e".repeat(1_000)}.${"x".repeat(18_000)}.${"y".repeat(1_000)}`;

    const answer = await sendTo(endpoint, [["Authorization", `Bearer ${token}`]]);

    expect([400, 401, 413, 431], answer.text).toContain(answer.status);
    expectNoTraceOf(token, answer);
  });
});

describe("A forged token", () => {
  test.each(forgeries)("with %s is refused, and nothing is done", async (_, forge) => {
    const user = await someUser();
    const before = await walletsOf(user);
    const token = await forge(user.token);

    const read = await get("/listWallets", { token });
    const written = await post("/storeWallet_v2", { token, body: bodyWith(newEvmKey()) });

    expectUnauthorized(read);
    expectUnauthorized(written);
    expectNoTraceOf(token, read);
    expect(await walletsOf(user)).toStrictEqual(before);
  });

  const bodyWith = ({ network, privateKey }: ReturnType<typeof newEvmKey>) => ({ network, privateKey });
});

test("the header's user counts, not the cookie's", async () => {
  const [first, second] = await twoUsers();

  const answer = await get("/getUserData", {
    token: first.token,
    headers: { Cookie: `access_token=${second.token}` },
  });

  expect(answer.json).toMatchObject({ userID: first.id });
});

test("a token in the address is no credential", async () => {
  const { token } = await someUser();

  const answer = await get(`/listWallets?access_token=${token}&token=${token}`);

  expectError(answer, 401, /^No token provided$/);
});

test("the body is not looked at before the token", async () => {
  const answer = await post("/storeWallet_v2", { body: "not JSON" });

  expectRefusal(answer, 401);
});
