import { describe, expect, it } from "vitest";
import { runsAll } from "../../cases/sample.ts";
import { type Answer, get, sendRaw } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { endpoints } from "../support/endpoints.ts";
import { expectError } from "../support/expectations.ts";
import { someUser } from "../support/users.ts";

const user = someUser();

const bearer = () => ["Authorization", `Bearer ${user.token}`] as const;

describe("an unknown path or method", () => {
  const expectNotFound = (method: string, answer: Answer) => {
    if (method === "HEAD") expect([answer.status, answer.text]).toEqual([404, ""]);
    else expectError(answer, 404);
  };
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
    ["HEAD", "/storeWallet_v2"],
  ];

  it.each(strangers)("answers 404 {error} to %s %s without a token", async (method, path) => {
    expectNotFound(method, await sendRaw(method, path, []));
  });

  it.each(strangers)("answers 404 {error} to %s %s with a token", async (method, path) => {
    expectNotFound(method, await sendRaw(method, path, [bearer()]));
  });

  it("refuses the method PURGE", async () => {
    const answer = await sendRaw("PURGE", "/listWallets", []);

    // CloudFront answers with an HTML page, and API Gateway with JSON.
    expect([400, 403, 404, 405], answer.text).toContain(answer.status);
  });
});

const reading = endpoints.filter(({ method }) => method === "GET");

it.each(reading.slice(0, runsAll() ? undefined : 2))(
  "answers HEAD like $name, with the same checks but without a body",
  async ({ path, status }) => {
    const headers = [bearer(), ["Origin", deployment().allowedOrigin ?? ""]] as const;
    const [head, got] = [await sendRaw("HEAD", path, [...headers]), await sendRaw("GET", path, [...headers])];

    expect([head.status, head.text]).toEqual([status, ""]);
    const shown = [
      ...["content-type", "cache-control", "etag", "ratelimit-policy"],
      ...["access-control-allow-origin", "access-control-allow-credentials", "vary"],
    ];
    for (const name of shown) expect(head.headers.get(name), name).toBe(got.headers.get(name));
    const refused = await sendRaw("HEAD", path, []);
    expect([refused.status, refused.text]).toEqual([401, ""]);
  },
);

it.each(endpoints)("treats $name with a trailing slash as the same path or as unknown", async (endpoint) => {
  const answer = await sendRaw(
    endpoint.method,
    `${endpoint.path}/`,
    [bearer(), ["Content-Type", "application/json"]],
    endpoint.body && JSON.stringify(endpoint.body),
  );

  if (answer.status !== endpoint.status) expectError(answer, 404);
});

it.each([
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
])("answers the odd target %s without a 500", async (target) => {
  const answer = await sendRaw("GET", target, [bearer()]);

  expect([200, 400, 404], answer.text).toContain(answer.status);
  expect(answer.json, answer.text).toBeTypeOf("object");
});

it("ignores the body of a GET, unless the edge refuses the request with an HTML page", async () => {
  const answer = await sendRaw(
    "GET",
    "/listWallets",
    [bearer(), ["Content-Length", "4"], ["Content-Type", "application/json"]],
    "{nul",
  );

  const isPage = answer.headers.get("Content-Type") === "text/html";
  expect(answer.status, answer.text).toBe(isPage ? 403 : 200);
});

it("ignores unknown query parameters", async () => {
  const answer = await get("/listWallets?limit=1&type=ref&user=somebody-else", user);

  expect(answer.json).toStrictEqual((await get("/listWallets", user)).json);
});

it("rejects and names a query parameter that is given twice", async () => {
  const answer = await get("/api/v2/orders?limit=1&chain=eth&limit=2", user);

  expect(answer).toMatchObject({
    status: 400,
    json: {
      error: {
        code: "INVALID_REQUEST",
        message: "The query parameter limit must not be given twice",
        details: { field: "limit" },
      },
    },
  });
});
