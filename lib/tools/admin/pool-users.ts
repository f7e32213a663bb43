import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminInitiateAuthCommand,
  type AdminInitiateAuthCommandOutput,
  AdminRespondToAuthChallengeCommand,
  AdminUserGlobalSignOutCommand,
  CognitoIdentityProviderClient,
  UserNotFoundException,
} from "@aws-sdk/client-cognito-identity-provider";
import * as v from "valibot";
import { OperatorError } from "./operator-error.ts";
import { outputsOf } from "./stack-target.ts";
import { type Directory, dataStack } from "./target.ts";

/** A stack's user pool, with the client that its users sign in to. */
export type UserPool = { client: CognitoIdentityProviderClient; poolId: string; clientId: string };

const poolStack = {
  ...dataStack,
  label: "data stack of a deployment with a user pool of its own",
  outputs: v.object({ UserPoolId: v.string(), UserPoolClientId: v.string() }),
};

/** @throws {OperatorError} if the stack has no user pool, or its users sign in elsewhere. */
export async function openUserPool(stack: string): Promise<UserPool> {
  const { UserPoolId, UserPoolClientId } = await outputsOf(stack, poolStack);
  return { client: new CognitoIdentityProviderClient(), poolId: UserPoolId, clientId: UserPoolClientId };
}

/** Answers to Cognito's challenges. Each one is fetched only when Cognito asks for it. */
export type Credentials = {
  password: () => Promise<string>;
  newPassword: () => Promise<string>;
  /** Six-digit code that the user's authenticator currently shows. */
  code: () => Promise<string>;
};

/** Maximum number of challenges in a sign-in: the password, a new password and the code. */
const maxChallenges = 3;

/**
 * Signs in as a user of the pool. The caller needs permission for this on the pool, and the user's password.
 *
 * @returns the access token.
 * @throws {OperatorError} for a challenge that no program can answer. Errors of Cognito are passed on.
 */
export async function signIn(pool: UserPool, username: string, credentials: Credentials): Promise<string> {
  const { client, poolId: UserPoolId, clientId: ClientId } = pool;
  let answer: AdminInitiateAuthCommandOutput = await client.send(
    new AdminInitiateAuthCommand({
      UserPoolId,
      ClientId,
      AuthFlow: "ADMIN_USER_PASSWORD_AUTH",
      AuthParameters: { USERNAME: username, PASSWORD: await credentials.password() },
    }),
  );
  for (let challenges = 0; challenges < maxChallenges; challenges++) {
    const { AuthenticationResult, ChallengeName, ChallengeParameters = {}, Session } = answer;
    if (AuthenticationResult?.AccessToken !== undefined) return AuthenticationResult.AccessToken;
    answer = await client.send(
      new AdminRespondToAuthChallengeCommand({
        UserPoolId,
        ClientId,
        ChallengeName,
        Session,
        ChallengeResponses: {
          // Cognito's own name of the user. Cognito does not accept an email address in this place.
          USERNAME: ChallengeParameters.USER_ID_FOR_SRP ?? username,
          ...(await responseTo(ChallengeName, credentials)),
        },
      }),
    );
  }
  throw new OperatorError("Cognito kept asking for more, and returned no token");
}

async function responseTo(
  challenge: string | undefined,
  { newPassword, code }: Credentials,
): Promise<Record<string, string>> {
  switch (challenge) {
    case "NEW_PASSWORD_REQUIRED":
      return { NEW_PASSWORD: await newPassword() };
    case "SOFTWARE_TOKEN_MFA":
      return { SOFTWARE_TOKEN_MFA_CODE: await code() };
    default:
      throw new OperatorError(`Cognito asks for ${challenge ?? "nothing"}, which this program cannot answer`);
  }
}

/**
 * Adds a user to the pool.
 *
 * @param temporaryPassword If given, no mail is sent. By default, Cognito generates a password and mails it.
 * @returns the userID.
 */
export async function createPoolUser(
  { client, poolId: UserPoolId }: UserPool,
  { email, temporaryPassword }: { email: string; temporaryPassword: string | undefined },
): Promise<string> {
  const { User } = await client.send(
    new AdminCreateUserCommand({
      UserPoolId,
      Username: email,
      UserAttributes: [
        { Name: "email", Value: email },
        // Marks the operator's address as verified. Without this, the user could not reset a forgotten password.
        { Name: "email_verified", Value: "true" },
      ],
      ...(temporaryPassword === undefined
        ? { DesiredDeliveryMediums: ["EMAIL"] }
        : { MessageAction: "SUPPRESS", TemporaryPassword: temporaryPassword }),
    }),
  );
  const userID = User?.Attributes?.find(({ Name }) => Name === "sub")?.Value;
  if (userID === undefined)
    throw new OperatorError(`Cognito created the user ${email}, but returned no userID`);
  return userID;
}

const anyStack = { ...dataStack, outputs: v.object({ UserPoolId: v.optional(v.string()) }) };

/** Opens a stack's user pool. Undefined if users sign in elsewhere. */
export async function openDirectory(stack: string): Promise<Directory | undefined> {
  const { UserPoolId } = await outputsOf(stack, anyStack);
  if (UserPoolId === undefined) return undefined;
  const client = new CognitoIdentityProviderClient();
  // Cognito's own name of a user of this pool is the userID.
  const named = (userID: string) => ({ UserPoolId, Username: userID });
  return {
    signOut: (userID) => unlessUnknown(client.send(new AdminUserGlobalSignOutCommand(named(userID)))),
    remove: (userID) => unlessUnknown(client.send(new AdminDeleteUserCommand(named(userID)))),
  };
}

async function unlessUnknown(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof UserNotFoundException)) throw error;
  }
}
