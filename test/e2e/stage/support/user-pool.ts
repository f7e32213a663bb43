import { randomBytes, randomUUID } from "node:crypto";
import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
} from "@aws-sdk/client-cognito-identity-provider";

export type UserPoolNames = { poolId: string; clientId: string };

/** Signs in as a new user of the stack's own user pool. Sends no mail. */
export async function poolSignIn({ poolId: UserPoolId, clientId: ClientId }: UserPoolNames) {
  const client = new CognitoIdentityProviderClient();
  const Username = `verify-${randomUUID()}@example.com`;
  // The pool requires an upper-case and a lower-case letter, a digit and a symbol.
  const Password = `aA1!${randomBytes(24).toString("base64url")}`;
  const user = { UserPoolId, Username };
  const remove = async () => void (await client.send(new AdminDeleteUserCommand(user)));
  await client.send(new AdminCreateUserCommand({ ...user, MessageAction: "SUPPRESS" }));
  try {
    await client.send(new AdminSetUserPasswordCommand({ ...user, Password, Permanent: true }));
    const { AuthenticationResult } = await client.send(
      new AdminInitiateAuthCommand({
        UserPoolId,
        ClientId,
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
}
