import { createHmac, randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { json } from "node:stream/consumers";

/** A user of the pool. `totpSecret` belongs to the authenticator, if the user has one. */
type PoolUser = { sub: string; email: string; password: string; isTemporary: boolean; totpSecret?: Buffer };

type Body = Record<string, string> & {
  AuthParameters: Record<string, string>;
  ChallengeResponses: Record<string, string>;
  UserAttributes: { Name: string; Value: string }[];
};

/** An error in Cognito's format. */
class CognitoError extends Error {
  constructor(type: string, message: string) {
    super(message);
    this.name = type;
  }
}

export const names = { UserPoolId: "us-east-1_pool", UserPoolClientId: "client" };

/** Computes the code that an authenticator shows at this time (RFC 6238). */
export function totp(secret: Buffer, now: number = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const hmac = createHmac("sha1", secret).update(counter).digest();
  const offset = (hmac.at(-1) ?? 0) & 15;
  return String((hmac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, "0");
}

/**
 * Fakes a user pool with the part of Cognito's protocol that operators use, as documented: a session is valid once,
 * responses to challenges name a user by `USER_ID_FOR_SRP` instead of an address, a new password is requested before
 * the code, and passwords must follow the pool's policy.
 */
export function userPool() {
  const users = new Map<string, PoolUser>();
  const sessions = new Map<string, { user: PoolUser; challenge: string }>();
  const mails: { to: string; password: string }[] = [];
  const asked: string[] = [];

  const named = (name: string | undefined, allowAddress: boolean) => {
    const user = [...users.values()].find(
      ({ sub, email }) => sub === name || (allowAddress && email === name),
    );
    if (user === undefined) throw new CognitoError("UserNotFoundException", "User does not exist.");
    return user;
  };
  const checkPolicy = (password: string) => {
    const isStrong = [/.{12}/, /[a-z]/, /[A-Z]/, /\d/, /[^\w\s]/].every((wanted) => wanted.test(password));
    if (!isStrong)
      throw new CognitoError("InvalidPasswordException", "Password did not conform with policy: too weak");
  };
  const ask = (user: PoolUser, challenge: string) => {
    const Session = randomUUID();
    sessions.set(Session, { user, challenge });
    return { ChallengeName: challenge, Session, ChallengeParameters: { USER_ID_FOR_SRP: user.sub } };
  };
  const admit = ({ sub }: PoolUser) => ({
    AuthenticationResult: {
      AccessToken: `token-of-${sub}`,
      IdToken: "id",
      ExpiresIn: 900,
      TokenType: "Bearer",
    },
    ChallengeParameters: {},
  });
  const afterPassword = (user: PoolUser) => (user.totpSecret ? ask(user, "SOFTWARE_TOKEN_MFA") : admit(user));

  const operations: Record<string, (body: Body) => object> = {
    AdminCreateUser({ Username = "", TemporaryPassword, MessageAction, UserAttributes }) {
      if ([...users.values()].some(({ email }) => email === Username))
        throw new CognitoError("UsernameExistsException", "User account already exists");
      const password = TemporaryPassword ?? `Aa1!${randomUUID()}`;
      checkPolicy(password);
      const user = { sub: randomUUID(), email: Username, password, isTemporary: true };
      users.set(user.sub, user);
      if (MessageAction !== "SUPPRESS") mails.push({ to: Username, password });
      const Attributes = [...UserAttributes, { Name: "sub", Value: user.sub }];
      return { User: { Username: user.sub, Attributes, UserStatus: "FORCE_CHANGE_PASSWORD" } };
    },
    AdminUserGlobalSignOut({ Username }) {
      named(Username, false);
      return {};
    },
    AdminDeleteUser({ Username }) {
      users.delete(named(Username, false).sub);
      return {};
    },
    AdminInitiateAuth({ AuthFlow, AuthParameters }) {
      if (AuthFlow !== "ADMIN_USER_PASSWORD_AUTH")
        throw new CognitoError("InvalidParameterException", "Auth flow not enabled for this client");
      const user = named(AuthParameters.USERNAME, true);
      if (user.password !== AuthParameters.PASSWORD)
        throw new CognitoError("NotAuthorizedException", "Incorrect username or password.");
      return user.isTemporary ? ask(user, "NEW_PASSWORD_REQUIRED") : afterPassword(user);
    },
    AdminRespondToAuthChallenge({ Session = "", ChallengeName, ChallengeResponses }) {
      const session = sessions.get(Session);
      sessions.delete(Session);
      if (session === undefined || session.challenge !== ChallengeName)
        throw new CognitoError("NotAuthorizedException", "Invalid session for the user.");
      const user = named(ChallengeResponses.USERNAME, false);
      if (user !== session.user)
        throw new CognitoError("NotAuthorizedException", "Invalid session for the user.");
      if (ChallengeName === "NEW_PASSWORD_REQUIRED") {
        checkPolicy(ChallengeResponses.NEW_PASSWORD ?? "");
        Object.assign(user, { password: ChallengeResponses.NEW_PASSWORD, isTemporary: false });
        return afterPassword(user);
      }
      if (ChallengeName !== "SOFTWARE_TOKEN_MFA" || user.totpSecret === undefined)
        throw new CognitoError("InvalidParameterException", "Unknown challenge");
      if (totp(user.totpSecret) !== ChallengeResponses.SOFTWARE_TOKEN_MFA_CODE)
        throw new CognitoError("CodeMismatchException", "Invalid code received for user");
      return admit(user);
    },
  };

  const handle: RequestListener = async (request, response) => {
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    asked.push(operation);
    const headers = { "content-type": "application/x-amz-json-1.1" };
    try {
      const body = (await json(request)) as Body;
      if (
        body.UserPoolId !== names.UserPoolId ||
        (body.ClientId ?? names.UserPoolClientId) !== names.UserPoolClientId
      )
        throw new CognitoError("ResourceNotFoundException", "User pool does not exist.");
      const answer = operations[operation]?.(body);
      if (answer === undefined) throw new CognitoError("UnknownOperationException", operation);
      response.writeHead(200, headers).end(JSON.stringify(answer));
    } catch (error) {
      const { name, message } = error as Error;
      response.writeHead(400, headers).end(JSON.stringify({ __type: name, message }));
    }
  };

  return {
    handle,
    mails,
    /** Names of the called operations. */
    asked,
    add(user: Partial<PoolUser> & Pick<PoolUser, "email" | "password">): PoolUser {
      const added = { sub: randomUUID(), isTemporary: false, ...user };
      users.set(added.sub, added);
      return added;
    },
    find: (email: string) => named(email, true),
  };
}
