import { describe, expect, it, vi } from "vitest";
import { connectionAuthorizer } from "../../lib/runtime/connection-authorizer.ts";
import { type Claims, InvalidToken, tokenVerifier } from "../../lib/runtime/token-verifier.ts";
import { quietConsole } from "../support/console.ts";
import { authorizerEvent } from "../support/events.ts";

const claims: Claims = { sub: "alice", exp: 2_000_000_000 };
const event = authorizerEvent({ "Sec-WebSocket-Protocol": "access_token, secret-token" });

type Ports = Partial<Parameters<typeof connectionAuthorizer>[0]>;

const authorize = ({ verify = async () => claims, admit = async () => "a key" }: Ports = {}) =>
  connectionAuthorizer({
    cookieName: "access_token",
    allowedOrigins: ["https://app.example"],
    verify,
    admit,
  });

const thrownBy = async (promise: Promise<unknown>): Promise<Error> => {
  const thrown: unknown = await promise.catch((error) => error);
  if (thrown instanceof Error) return thrown;
  throw new Error("Nothing was thrown");
};

const logged = quietConsole();

describe("who connects with a good token", () => {
  it("is let in to this API, and named", async () => {
    const verify = vi.fn(async () => claims);
    const admit = vi.fn(async () => "a key");
    expect(await authorize({ verify, admit })(event)).toEqual({
      principalId: "alice",
      policyDocument: {
        Version: "2012-10-17",
        Statement: [{ Action: "execute-api:Invoke", Effect: "Allow", Resource: event.methodArn }],
      },
      context: {},
      usageIdentifierKey: "a key",
    });
    expect(verify).toHaveBeenCalledExactlyOnceWith("secret-token");
    expect(admit).toHaveBeenCalledExactlyOnceWith(claims, expect.any(Date));
  });
});

describe("who connects", () => {
  const rejecting = (expired: boolean) => () => Promise.reject(new InvalidToken({ expired }));
  const real = tokenVerifier({
    issuer: "https://id.example",
    audience: "a",
    jwksUri: "https://id.example/keys",
  });

  it.each([
    ["without a token", authorizerEvent(), { verify: rejecting(false) }],
    ["with a bad token", event, { verify: rejecting(false) }],
    ["with an expired token", event, { verify: rejecting(true) }],
    ["with text that is no token", event, { verify: real }],
    ["with half a pair", authorizerEvent({ "Sec-WebSocket-Protocol": "access_token" }), { verify: real }],
    [
      "with the cookie, from a page of another site",
      authorizerEvent({ Cookie: "access_token=secret-token", Origin: "https://evil.example" }),
      {},
    ],
  ])("%s is Unauthorized, exactly so, and nothing is logged", async (_, request, ports) => {
    const admit = vi.fn(async () => "a key");
    const error = await thrownBy(authorize({ ...ports, admit })(request));
    expect(error.message).toBe("Unauthorized");
    expect(error.stack).toBe("");
    expect(Object.values(error)).toEqual([]);
    expect(admit).not.toHaveBeenCalled();
    expect(logged()).toEqual([]);
  });

  it.each<[string, Ports]>([
    ["the issuer's keys cannot be had", { verify: () => Promise.reject(new Error("secret-token at fault")) }],
    ["the profile cannot be read", { admit: () => Promise.reject(new Error("secret-token at fault")) }],
  ])("is told of a fault, not of their token, when %s", async (_, ports) => {
    const error = await thrownBy(authorize(ports)(event));
    expect(error.message).toBe("The authorizer failed");
    expect(error.stack).toBe("");
    expect(logged()).toEqual([expect.objectContaining({ operation: "authorizeConnection" })]);
    expect(JSON.stringify(logged())).not.toContain("secret-token");
  });
});
