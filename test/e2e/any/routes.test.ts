import { describe, expect, test } from "vitest";
import { get, sendRaw } from "../support/client.ts";
import { endpoints } from "../support/endpoints.ts";
import { expectError, expectRefusal } from "../support/expectations.ts";
import { someUser } from "../support/users.ts";

describe("A path or method that there is not is answered with 404 {error}", () => {
  const strangers: [method: string, path: string][] = [
    ["GET", "/"],
    ["GET", "/nothing"],
    ["POST", "/nothing"],
    ["GET", "/storeWallet"],
    ["GET", "/listwallets"],
    ["GET", "/listWallets/more"],
    ["GET", "/listWallets_v2"],
    ["GET", "/api"],
    ["GET", "/api/v2"],
    ["GET", "/api/v1/wallets"],
    ["GET", "/api/v2/wallets/1"],
    ["GET", "/api/waitlist/v2"],
    ["GET", "/api/waitlist/v2/rewards/1"],
    ["POST", "/updateTradingSettings"],
    ["POST", "/updateTradingSettings/eth/more"],
    ["GET", "/updateTradingSettings/eth"],
    ["GET", "/storeWallet_v2"],
    ["PUT", "/storeWallet_v2"],
    ["POST", "/listWallets"],
    ["DELETE", "/listWallets"],
    ["POST", "/getUserData"],
    ["PATCH", "/getUserData"],
    ["POST", "/api/waitlist/v2/rewards"],
    ["DELETE", "/api/v2/wallets"],
  ];

  test.each(strangers)("%s %s without a token", async (method, path) => {
    expectError(await sendRaw(method, path, []), 404);
  });

  test.each(strangers)("%s %s with a token", async (method, path) => {
    const { token } = await someUser();

    expectError(await sendRaw(method, path, [["Authorization", `Bearer ${token}`]]), 404);
  });

  test("a method that nobody has heard of", async () => {
    const answer = await sendRaw("PURGE", "/listWallets", []);

    expectRefusal(answer, 400, 403, 404, 405);
  });
});

test.each(endpoints)("$name with a slash at the end is the same or is not there", async (endpoint) => {
  const { token } = await someUser();

  const answer = await sendRaw(
    endpoint.method,
    `${endpoint.path}/`,
    [
      ["Authorization", `Bearer ${token}`],
      ["Content-Type", "application/json"],
    ],
    endpoint.body && JSON.stringify(endpoint.body),
  );

  if (answer.status !== endpoint.status) expectError(answer, 404);
});

test.each([
  "/listWallets?x=%",
  "/getUserData?type=%zz",
  "/getUserData?type=%00",
  "/getUserData?type=%ff%fe",
  "/getUserData?=&&&=type",
  "/getUserData?__proto__=ref&constructor=1",
  `/getUserData?type=${"x".repeat(4_000)}`,
  "/%",
  "/%00",
  "/listWallets%00",
  "/%6cistWallets",
  "//listWallets",
  "/listWallets/../listWallets",
  "/../../etc/passwd",
  "/listWallets;a=b",
  "/__proto__",
  "/constructor",
])("the odd target %s is no fault of the service's", async (target) => {
  const { token } = await someUser();

  const answer = await sendRaw("GET", target, [["Authorization", `Bearer ${token}`]]);

  expect([200, 400, 404], answer.text).toContain(answer.status);
  expect(answer.json, answer.text).toBeTypeOf("object");
});

test("a body on a GET is not looked at", async () => {
  const { token } = await someUser();

  const answer = await sendRaw(
    "GET",
    "/listWallets",
    [
      ["Authorization", `Bearer ${token}`],
      ["Content-Length", "4"],
      ["Content-Type", "application/json"],
    ],
    "{nul",
  );

  expect(answer.status, answer.text).toBe(200);
});

test("parameters that nobody asked for change nothing", async () => {
  const { token } = await someUser();

  const answer = await get("/listWallets?limit=1&type=ref&user=somebody-else", { token });

  expect(answer.json).toStrictEqual((await get("/listWallets", { token })).json);
});
