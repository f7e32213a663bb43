import { Aws, Duration, Stack, Validations } from "aws-cdk-lib";
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  type CfnUserPool,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
} from "aws-cdk-lib/aws-cognito";
import { Construct } from "constructs";
import type { Issuer } from "../../runtime/token-verifier.ts";
import type { MailIdentity } from "../configuration.ts";
import { retained } from "../retained.ts";

export type UserDirectoryProps = {
  /** True if this pool is the deployment's issuer. If false, nobody can sign up. */
  isIssuer: boolean;
  mail: MailIdentity | undefined;
  /** Address of the console. Undefined if only the deploy of the edge chooses it, or there is none. */
  consoleUrl: string | undefined;
};

/** Stands for an address that is not known yet, because a client needs one. No host can have this name. */
const unknownUrl = "https://console.invalid/console/";

/** Name of the pool's sign-in page. Contains the account, because a name is unique among all accounts of a region. */
const domainPrefix = `trading-terminal-${Aws.ACCOUNT_ID}`;

/** Origins of the pool: of its discovery document, and of its pages and endpoints for tokens. */
export const poolOrigins = [
  `https://cognito-idp.${Aws.REGION}.amazonaws.com`,
  `https://${domainPrefix}.auth.${Aws.REGION}.amazoncognito.com`,
];

/**
 * A Cognito user pool with a public client, used when no issuer is configured. The pool is always deployed, so its
 * users survive a switch to another issuer and back. An unused pool costs nothing.
 */
export class UserDirectory extends Construct {
  readonly pool: UserPool;
  readonly client: UserPoolClient;
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string, { isIssuer, mail, consoleUrl = unknownUrl }: UserDirectoryProps) {
    super(scope, id);
    this.pool = new UserPool(this, "Pool", {
      selfSignUpEnabled: isIssuer,
      signInAliases: { email: true },
      autoVerify: { email: true },
      // Keeps a user's old email address until the new one is verified.
      keepOriginal: { email: true },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { sms: false, otp: true },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(1),
      },
      deletionProtection: true,
      removalPolicy: retained,
    });
    // Sets the property directly. CDK's own property needs the region of the identity, but this stack may be deployed
    // to any region.
    (this.pool.node.defaultChild as CfnUserPool).emailConfiguration = mail
      ? { emailSendingAccount: "DEVELOPER", from: mail.from, sourceArn: mail.identityArn }
      : { emailSendingAccount: "COGNITO_DEFAULT" };
    Validations.of(this.pool).acknowledge(
      {
        id: "AwsSolutions-COG2",
        reason:
          "Each user chooses whether to use a second factor. An owner who wants to require one can configure another issuer.",
      },
      {
        id: "AwsSolutions-COG8",
        reason: "The Plus plan is billed per active user, so the owner of the account decides.",
      },
    );

    this.client = this.pool.addClient("Client", {
      generateSecret: false,
      // Lets operators who need a token sign in with the admin flow. This flow needs a right on the pool that users
      // lack.
      authFlows: { userSrp: true, adminUserPassword: true },
      ...(isIssuer
        ? {
            oAuth: {
              flows: { authorizationCodeGrant: true },
              scopes: [OAuthScope.OPENID, OAuthScope.PROFILE, OAuthScope.EMAIL],
              callbackUrls: [consoleUrl],
              logoutUrls: [consoleUrl],
            },
          }
        : { disableOAuth: true }),
      accessTokenValidity: Duration.minutes(15),
      idTokenValidity: Duration.minutes(15),
      refreshTokenValidity: Duration.days(30),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
    this.client.applyRemovalPolicy(retained);
    this.pool.addDomain("SignIn", {
      cognitoDomain: { domainPrefix },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    // Cognito shows no page to a client without a style.
    new CfnManagedLoginBranding(this, "SignInStyle", {
      userPoolId: this.pool.userPoolId,
      clientId: this.client.userPoolClientId,
      useCognitoProvidedValues: true,
    });

    const issuer = `https://cognito-idp.${Stack.of(this).region}.amazonaws.com/${this.pool.userPoolId}`;
    this.issuer = {
      issuer,
      audience: this.client.userPoolClientId,
      jwksUri: `${issuer}/.well-known/jwks.json`,
    };
  }
}
