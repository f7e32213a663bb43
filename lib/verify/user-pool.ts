import { randomBytes, randomUUID } from "node:crypto";
import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
} from "@aws-sdk/client-cognito-identity-provider";
import { beforeEachAttempt, type CallLimit } from "./call-limit.ts";
import type { SignIn, TokenVariables } from "./sign-in.ts";

export type UserPoolNames = { poolID: string; clientID: string };

/** A user of the stack's own user pool, made for the checks. No mail is sent. */
export function poolSignIn(
  { poolID: UserPoolId, clientID: ClientId }: UserPoolNames,
  { VERIFY_EXPIRED_TOKEN }: TokenVariables,
  limit: CallLimit,
): SignIn {
  const client = new CognitoIdentityProviderClient();
  client.middlewareStack.add(limit.counted, beforeEachAttempt);
  const Username = `verify-${randomUUID()}@example.com`;
  // A letter of each kind, a digit and a symbol, as the pool's policy requires.
  const Password = `aA1!${randomBytes(24).toString("base64url")}`;
  const user = { UserPoolId, Username };
  const remove = async () => void (await client.send(new AdminDeleteUserCommand(user)));
  return {
    async start() {
      await client.send(new AdminCreateUserCommand({ ...user, MessageAction: "SUPPRESS" }));
      try {
        await client.send(new AdminSetUserPasswordCommand({ ...user, Password, Permanent: true }));
        const { AuthenticationResult } = await client.send(
          new AdminInitiateAuthCommand({
            ...{ UserPoolId, ClientId },
            AuthFlow: "ADMIN_USER_PASSWORD_AUTH",
            AuthParameters: { USERNAME: Username, PASSWORD: Password },
          }),
        );
        const token = AuthenticationResult?.AccessToken;
        if (token === undefined) throw new Error("Cognito returned no token");
        return { token, remove };
      } catch (error) {
        await remove();
        throw error;
      }
    },
    // A token of the pool lives 15 minutes.
    expiredToken: async () => VERIFY_EXPIRED_TOKEN,
  };
}
