import type { Stack } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { terminalApp } from "../../lib/infra/app.ts";
import { only, resourcesOf, synthesize } from "./synthesized.ts";

const { data } = synthesize();
const issued = synthesize({ issuer: "https://id.example/", audience: "terminal" });

describe("the data stack", () => {
  it("keeps the logical ids of what cannot be made again", () => {
    const kept = Object.entries(data.Resources).map(([id, { Type }]) => [Type, id]);
    expect(Object.fromEntries(kept)).toEqual({
      "AWS::DynamoDB::Table": "TableCD117FA1",
      "AWS::KMS::Key": "Key961B73FD",
      "AWS::KMS::Alias": "KeyAlias910D852D",
      "AWS::Cognito::UserPool": "UsersPoolBFC35D3B",
      "AWS::Cognito::UserPoolClient": "UsersPoolClient39A19381",
    });
  });

  it("retains what it holds, whatever happens to the stack", () => {
    for (const [id, resource] of Object.entries(data.Resources))
      if (resource.Type !== "AWS::KMS::Alias")
        expect(resource, id).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
  });

  it("is not deleted by mistake", () => {
    const app = terminalApp({ context: { "aws:cdk:bundling-stacks": [] } });
    expect((app.node.findChild("TerminalData") as Stack).terminationProtection).toBe(true);
  });

  it("has a table that can be restored, expires records and tells of changes", () => {
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

  it("rotates the key and gives it a name", () => {
    expect(only(data, "AWS::KMS::Key").Properties).toMatchObject({ EnableKeyRotation: true });
    expect(only(data, "AWS::KMS::Alias").Properties).toMatchObject({
      AliasName: "alias/TerminalData/wallets",
    });
  });

  it("tells the names that operators need", () => {
    const told = (outputs: object) => Object.keys(outputs).filter((name) => !name.startsWith("Exports"));
    expect(told(data.Outputs)).toEqual(["TableName", "KeyId", "UserPoolId", "UserPoolClientId"]);
    expect(told(issued.data.Outputs)).toEqual(["TableName", "KeyId"]);
  });
});

describe("the user pool", () => {
  it("is made when there is no other issuer, and only then", () => {
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

  it("has a client without a secret, with short-lived tokens that can be revoked", () => {
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
