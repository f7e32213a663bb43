import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
} from "@aws-sdk/client-cognito-identity-provider";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { poolSignIn } from "../e2e/stage/support/user-pool.ts";

const pool = mockClient(CognitoIdentityProviderClient);

beforeEach(() => {
  vi.stubEnv("AWS_REGION", "eu-central-1");
  pool.on(AdminInitiateAuthCommand).resolves({ AuthenticationResult: { AccessToken: "the-token" } });
});
afterEach(() => {
  vi.unstubAllEnvs();
  pool.reset();
});

const open = () => poolSignIn({ poolId: "the-pool", clientId: "the-client" });

const commands = () => pool.calls().map(({ args }) => args[0].constructor.name);

describe("poolSignIn", () => {
  it("creates a user without sending mail, signs in as that user and deletes it", async () => {
    const { token, remove } = await open();
    await remove();

    expect(token).toBe("the-token");
    expect(commands()).toEqual(
      [
        AdminCreateUserCommand,
        AdminSetUserPasswordCommand,
        AdminInitiateAuthCommand,
        AdminDeleteUserCommand,
      ].map(({ name }) => name),
    );
    const [created, withPassword, signedIn, deleted] = pool
      .calls()
      .map(({ args }) => args[0].input as unknown);
    const { Username } = created as { Username: string };
    expect(created).toEqual({ UserPoolId: "the-pool", Username, MessageAction: "SUPPRESS" });
    expect(deleted).toEqual({ UserPoolId: "the-pool", Username });
    const { Password } = withPassword as { Password: string };
    // Checks the password against the pool's policy.
    for (const wanted of [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/, /^.{12,}$/]) expect(Password).toMatch(wanted);
    expect(signedIn).toMatchObject({
      ClientId: "the-client",
      AuthParameters: { USERNAME: Username, PASSWORD: Password },
    });
  });

  it("deletes the user again if sign-in fails", async () => {
    pool.on(AdminInitiateAuthCommand).rejects(new Error("Access denied"));

    await expect(open()).rejects.toThrow("Access denied");

    expect(commands().at(-1)).toBe(AdminDeleteUserCommand.name);
  });
});
