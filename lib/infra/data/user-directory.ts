import { Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { AccountRecovery, Mfa, UserPool, type UserPoolClient } from "aws-cdk-lib/aws-cognito";
import { Construct } from "constructs";
import type { Issuer } from "../../runtime/token-verifier.ts";

/** A Cognito user pool with a public client: the issuer of a deployment that does not configure one. */
export class UserDirectory extends Construct {
  readonly pool: UserPool;
  readonly client: UserPoolClient;
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.pool = new UserPool(this, "Pool", {
      selfSignUpEnabled: true,
      signInAliases: { email: true },
      autoVerify: { email: true },
      // A new address replaces the old one only after it has been verified.
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
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(this.pool).acknowledge(
      {
        id: "AwsSolutions-COG2",
        reason:
          "A second factor is each user's choice. An owner who wants to require it configures an issuer that does.",
      },
      {
        id: "AwsSolutions-COG8",
        reason: "The Plus plan is billed per active user, so the owner of the account decides.",
      },
    );

    this.client = this.pool.addClient("Client", {
      generateSecret: false,
      authFlows: { userSrp: true },
      disableOAuth: true,
      accessTokenValidity: Duration.minutes(15),
      idTokenValidity: Duration.minutes(15),
      refreshTokenValidity: Duration.days(30),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
    this.client.applyRemovalPolicy(RemovalPolicy.RETAIN);

    const issuer = `https://cognito-idp.${Stack.of(this).region}.amazonaws.com/${this.pool.userPoolId}`;
    this.issuer = {
      issuer,
      audience: this.client.userPoolClientId,
      jwksUri: `${issuer}/.well-known/jwks.json`,
    };
  }
}
