import { afterEach, describe, expect, it, vi } from "vitest";
import { restAuthorizer } from "../../lib/runtime/rest-authorizer.ts";
import { type Claims, InvalidToken } from "../../lib/runtime/token-verifier.ts";
import { authorizerEvent } from "../support/events.ts";

const claims: Claims = { sub: "alice", exp: 2_000_000_000 };
const event = authorizerEvent({ Authorization: "Bearer secret-token" });

function authorize({
  verify = async () => claims,
  admit = async () => "a key",
}: Partial<Parameters<typeof restAuthorizer>[0]>) {
  return restAuthorizer({ cookieName: "access_token", verify, admit });
}

afterEach(() => vi.restoreAllMocks());

describe("the authorizer", () => {
  it("lets the bearer of a good token call this method, and names them", async () => {
    const admit = vi.fn(async () => "a key");
    expect(await authorize({ admit })(event)).toEqual({
      principalId: "alice",
      policyDocument: {
        Version: "2012-10-17",
        Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: event.methodArn }],
      },
      context: {},
      usageIdentifierKey: "a key",
    });
    expect(admit).toHaveBeenCalledExactlyOnceWith(claims, expect.any(Date));
  });

  it.each([
    ["no token", authorizerEvent(), undefined, { error: "No token provided" }],
    ["a bad token", event, new InvalidToken({ expired: false }), { error: "Invalid token" }],
    [
      "an expired token",
      event,
      new InvalidToken({ expired: true }),
      { error: "Token expired", needsRefresh: true },
    ],
  ])("denies a request with %s, with the body of the 401 as context", async (_, request, error, body) => {
    const result = await authorize({ verify: () => Promise.reject(error) })(request);
    expect(result.policyDocument.Statement).toEqual([expect.objectContaining({ Effect: "Deny" })]);
    expect(JSON.parse(String(result.context?.unauthorized))).toEqual(body);
  });

  it.each([
    ["the issuer's keys cannot be had", { verify: () => Promise.reject(new Error("secret-token at fault")) }],
    ["the profile cannot be read", { admit: () => Promise.reject(new Error("secret-token at fault")) }],
  ])("fails without a word of the token or a stack when %s", async (_, ports) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const error = await authorize(ports)(event).catch((error) => error);
    expect(error).toMatchObject({ message: "The authorizer failed", stack: "" });
    expect(logged).toHaveBeenCalledOnce();
    expect(JSON.stringify(logged.mock.calls)).not.toContain("secret-token");
  });
});
