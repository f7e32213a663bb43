import { describe, expect, it } from "vitest";
import { customContext, only, resourcesOf, synthesize } from "./synthesized.ts";

const { data, protectedData } = synthesize();
const issued = synthesize(customContext);

describe("the data stack", () => {
  it("keeps the logical ids of its resources", () => {
    const kept = Object.entries(data.Resources).map(([id, { Type }]) => [Type, id]);
    expect(Object.fromEntries(kept)).toEqual({
      "AWS::DynamoDB::Table": "TableCD117FA1",
      "AWS::KMS::Key": "Key961B73FD",
      "AWS::KMS::Alias": "KeyAlias910D852D",
      "AWS::Cognito::UserPool": "UsersPoolBFC35D3B",
      "AWS::Cognito::UserPoolClient": "UsersPoolClient39A19381",
    });
  });

  it("retains its resources if the stack is deleted or replaces them", () => {
    for (const [id, resource] of Object.entries(data.Resources))
      if (resource.Type !== "AWS::KMS::Alias")
        expect(resource, id).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
  });

  it("is protected from deletion", () => {
    expect(protectedData).toBe(true);
  });

  it("has a table with point-in-time recovery, expiry and a stream", () => {
    expect(only(data, "AWS::DynamoDB::Table").Properties).toEqual({
      AttributeDefinitions: [
        { AttributeName: "PK", AttributeType: "S" },
        { AttributeName: "SK", AttributeType: "S" },
      ],
      KeySchema: [
        { AttributeName: "PK", KeyType: "HASH" },
        { AttributeName: "SK", KeyType: "RANGE" },
      ],
      BillingMode: "PAY_PER_REQUEST",
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
    });
  });

  it("rotates the key and names it", () => {
    expect(only(data, "AWS::KMS::Key").Properties).toMatchObject({ EnableKeyRotation: true });
    expect(only(data, "AWS::KMS::Alias").Properties).toMatchObject({
      AliasName: "alias/TerminalData/wallets",
    });
  });

  it("outputs the names that operators need", () => {
    const names = (outputs: object) =>
      Object.keys(outputs).filter((name) => !/^(Exports|Publish)Output/.test(name));
    expect(names(data.Outputs)).toEqual(["TableName", "KeyId", "UserPoolId", "UserPoolClientId"]);
    expect(names(issued.data.Outputs)).toEqual(["TableName", "KeyId"]);
  });
});

describe("the user pool", () => {
  it("exists only if no issuer is configured", () => {
    expect(Object.keys(resourcesOf(issued.data, "AWS::Cognito::UserPool"))).toEqual([]);
    expect(only(data, "AWS::Cognito::UserPool").Properties).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
      DeletionProtection: "ACTIVE",
      EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
      MfaConfiguration: "OPTIONAL",
      Policies: {
        PasswordPolicy: {
          MinimumLength: 12,
          RequireLowercase: true,
          RequireNumbers: true,
          RequireSymbols: true,
          RequireUppercase: true,
        },
      },
      UsernameAttributes: ["email"],
    });
  });

  it("has a client without a secret, with short-lived, revocable tokens", () => {
    expect(only(data, "AWS::Cognito::UserPoolClient").Properties).toMatchObject({
      AccessTokenValidity: 15,
      AllowedOAuthFlowsUserPoolClient: false,
      EnableTokenRevocation: true,
      ExplicitAuthFlows: ["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
      GenerateSecret: false,
      PreventUserExistenceErrors: "ENABLED",
      RefreshTokenValidity: 30 * 24 * 60,
      TokenValidityUnits: { AccessToken: "minutes", RefreshToken: "minutes" },
    });
  });
});
