import "../functions/environment.ts";
import { describe, expect, it, vi } from "vitest";
import { schemas } from "../../lib/api/operation-schemas.ts";
import { type Scope, scopes } from "../../lib/core/scope.ts";
import { operationsOf, scopesOfMethods } from "../../lib/operations/operations.ts";
import type { ProgramKey } from "../../lib/orders/program-key.ts";
import { UserBlocked } from "../../lib/plans/admit.ts";
import { type AuthorizerDeps, connectionAuthorizer, restAuthorizer } from "../../lib/runtime/authorizer.ts";
import type { ProgramClaims } from "../../lib/runtime/program-token.ts";
import { rest } from "../../lib/runtime/rest.ts";
import { quietConsole } from "../support/console.ts";
import { authorizerEvent, restEvent } from "../support/events.ts";

const logged = quietConsole();

const key = { keyId: "pk_1", endsAt: "2027-01-01T00:00:00.000Z" } as ProgramKey;
const claimsWith = (...given: Scope[]): ProgramClaims => ({
  sub: "alice",
  iat: 1_999_999_940,
  exp: 2_000_000_000,
  jti: "0123456789abcdef",
  bh: "the hash",
  key: { ...key, scopes: given },
});

function authorizers(claims: ProgramClaims, fakes: Partial<AuthorizerDeps> = {}) {
  const deps = {
    cookies: { cookieName: "access_token", bareCookie: false },
    origin: { originKeys: [], edgeOnly: false },
    verify: vi.fn(async () => claims),
    useToken: vi.fn(async () => true),
    admit: vi.fn(async () => ({ key: "a key", plan: { name: "Pro" as const, requestsPerMinute: 5000 } })),
    strangerKey: async () => "a stranger's key",
    scopes: scopesOfMethods,
    allowedOrigins: [],
  };
  const faked = { ...deps, ...fakes };
  return { ...deps, onRest: restAuthorizer(faked), onStream: connectionAuthorizer(faked) };
}

const call = (httpMethod: string, resource: string) => ({
  ...authorizerEvent({ Authorization: "Bearer t" }),
  httpMethod,
  resource,
});

const rows = operationsOf("rest").map(([name, { method, path, scope }]) => ({ name, method, path, scope }));

describe("a program at the REST API", () => {
  it.each(rows)("reaches $name only with the scope $scope", async ({ method, path, scope }) => {
    for (const given of scopes) {
      const { onRest, admit, useToken } = authorizers(claimsWith(given));
      const { context, usageIdentifierKey } = await onRest(call(method, path));
      if (given === scope) {
        expect({ context, usageIdentifierKey }).toMatchObject({
          context: { programKeyId: "pk_1", bodyHash: "the hash" },
          usageIdentifierKey: "a key",
        });
        expect(useToken).toHaveBeenCalledTimes(method === "GET" ? 0 : 1);
        continue;
      }
      // Checks that API Gateway answers with a 403, since the method needs an API key.
      expect(usageIdentifierKey).toBeUndefined();
      expect(JSON.parse(String(context?.forbidden))).toEqual({
        success: false,
        error: {
          code: "SCOPE_MISSING",
          message: scope ? `The program key lacks the scope ${scope}` : "No program key may do this",
          details: { scope: scope ?? null },
        },
        timestamp: expect.any(String),
      });
      expect([admit.mock.calls, useToken.mock.calls]).toEqual([[], []]);
    }
  });

  it("never has a scope that exports, unlocks, or makes wallets, keys or devices", () => {
    const unreachable = rows.flatMap(({ name, scope }) => (scope === undefined ? [name] : []));
    expect(unreachable.toSorted()).toEqual([
      ...["cancelExport", "createDevice", "createKey", "createWallet", "deleteDevice", "deleteKey"],
      ...["endSession", "exportWallet", "importWallet", "listDevices", "listImportKeys", "listKeys"],
      ...["lockExports", "redeemReward", "restoreWallet", "retireWallet", "startSession", "storeWallet"],
      ...["unlockExports", "updateProfile"],
    ]);
  });

  it("requires the scope of GET for HEAD, and does not use up the token", async () => {
    const { onRest, useToken } = authorizers(claimsWith("read"));
    const { usageIdentifierKey } = await onRest(call("HEAD", "/listWallets"));
    expect([usageIdentifierKey, useToken.mock.calls]).toEqual(["a key", []]);
  });

  it("signs the method and the path, with or without the stage", async () => {
    const { onRest, verify } = authorizers(claimsWith("read"));
    await onRest(call("GET", "/listWallets"));
    const paths = ["/listWallets", "/live/listWallets"];
    expect(verify).toHaveBeenCalledExactlyOnceWith("t", { method: "GET", paths }, expect.any(Date));
  });

  it("gets a 401 for a token that was used before", async () => {
    const { onRest } = authorizers(claimsWith("trade"), { useToken: async () => false });
    const { context } = await onRest(call("POST", "/api/v2/orders"));
    expect(JSON.parse(String(context?.unauthorized))).toEqual({
      error: "Token used before: each request that writes needs a jti of its own",
    });
  });

  it("uses up no token if the user is blocked", async () => {
    const admit = () => Promise.reject(new UserBlocked());
    const { onRest, useToken } = authorizers(claimsWith("trade"), { admit });
    await onRest(call("POST", "/api/v2/orders"));
    expect(useToken).not.toHaveBeenCalled();
  });

  it("has no time of a sign-in", async () => {
    const { context } = await authorizers(claimsWith("settings")).onRest(
      call("PUT", "/api/v2/presets/{chain}"),
    );
    expect(context).not.toHaveProperty("signedInAt");
  });

  it("marks the user in the access log if the key may not make the request", async () => {
    const { context } = await authorizers(claimsWith()).onRest(call("GET", "/listWallets"));
    expect(context?.loggedUser).toBe("scope missing: alice");
  });
});

describe("a program at the stream", () => {
  const event = authorizerEvent({ "Sec-WebSocket-Protocol": "access_token, t" });

  it("needs the scope read, and signs GET /stream", async () => {
    const { onStream, verify } = authorizers(claimsWith("read"));
    expect(await onStream(event)).toMatchObject({
      principalId: "alice",
      context: { programKeyId: "pk_1", programKeyEndsAt: key.endsAt },
    });
    const request = { method: "GET", paths: ["/stream"] };
    expect(verify).toHaveBeenCalledExactlyOnceWith("t", request, expect.any(Date));
  });

  it("is denied without it", async () => {
    const { policyDocument } = await authorizers(claimsWith("trade", "settings")).onStream(event);
    expect(policyDocument.Statement).toMatchObject([{ Effect: "Deny" }]);
  });
});

describe("a request that a program signed", () => {
  const body = '{"network":"eth"}';
  const hash = "FBMx3uJKdJDXZu0AoUt-zp8iDqihaikoPUXd1bCvWA8";
  const useCase = vi.fn().mockRejectedValue(new Error("reached"));

  async function statusOf(parts: { body?: string; isBase64Encoded?: boolean }, bodyHash?: string) {
    const event = { ...restEvent({ body: parts.body }), isBase64Encoded: parts.isBase64Encoded ?? false };
    const authorizer = { principalId: "alice", programKeyId: "pk_1", bodyHash };
    const requestContext = { ...event.requestContext, authorizer };
    useCase.mockClear();
    const handler = rest(
      "updateWallet",
      { ...schemas.updateWallet, path: undefined, body: undefined } as never,
      useCase,
    );
    const result = await handler({ ...event, requestContext });
    logged();
    return { statusCode: result.statusCode, by: useCase.mock.calls[0]?.[0]?.by };
  }

  it("passes the id of its key on if it has the body that was signed, or none", async () => {
    const reached = { statusCode: 500, by: "pk_1" };
    expect(await statusOf({ body }, hash)).toEqual(reached);
    const encoded = Buffer.from(body).toString("base64");
    expect(await statusOf({ body: encoded, isBase64Encoded: true }, hash)).toEqual(reached);
    expect(await statusOf({})).toEqual(reached);
  });

  it.each<[string, { body?: string }, string | undefined]>([
    ["another body", { body: '{"network":"sol"}' }, hash],
    ["a body that only means the same", { body: '{"network": "eth"}' }, hash],
    ["a body and no hash", { body }, undefined],
    ["a hash and no body", {}, hash],
    ["the hash of nothing", {}, "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"],
  ])("is refused with %s", async (_, parts, signed) => {
    expect(await statusOf(parts, signed)).toEqual({ statusCode: 401, by: undefined });
  });
});
