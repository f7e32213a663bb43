import { describe, expect, inject } from "vitest";
import { get, sendRaw } from "../support/client.ts";
import { expectUnauthorized } from "../support/expectations.ts";
import { it, service } from "./support/check.ts";

describe("API Gateway", () => {
  it("serves a new user at once, with the value of the shared key or a fallback key", async ({ user }) => {
    const { status, json } = await get("/listWallets", user);
    expect({ status, json }).toEqual({ status: 200, json: [] });
  });

  it("answers a body of 9 MB with a 413", async ({ user }) => {
    const body = JSON.stringify({ network: "eth", privateKey: "x".repeat(9_000_000) });
    const headers = [
      ["Authorization", `Bearer ${user.token}`],
      ["Content-Type", "application/json"],
    ] as const;
    expect((await sendRaw("POST", "/storeWallet_v2", [...headers], body)).status).toBe(413);
  });

  it("disables the default address if the API has a custom domain but no edge", async ({
    deployed,
    skip,
  }) => {
    skip(service.edge !== undefined, "the edge needs that address");
    const isDefault = new URL(service.baseUrl).hostname.includes(".execute-api.");
    skip(isDefault, "this deployment has no custom domain");
    const [rest] = service.plans.plans.stages;
    const host = `${rest?.apiId}.execute-api.${deployed.region}.amazonaws.com`;
    expect((await fetch(`https://${host}/${rest?.stage}/listWallets`)).status).toBe(403);
  });
});

describe("the authorizer", () => {
  it("answers an expired token with a 401 that asks for a refresh", async ({ skip }) => {
    const token = inject("expiredToken");
    skip(token === "", "set VERIFY_EXPIRED_TOKEN to an expired token of the issuer");
    expectUnauthorized(await get("/getUserData", { token }), { expired: true });
  });
});
