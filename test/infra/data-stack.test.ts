import { describe, expect, it } from "vitest";
import { customContext, only, synthesize, type Template } from "./synthesized.ts";

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

  it("keeps its resources, unless the deploy that creates them fails", () => {
    for (const [id, resource] of Object.entries(data.Resources))
      if (resource.Type !== "AWS::KMS::Alias")
        expect(resource, id).toMatchObject({
          DeletionPolicy: "RetainExceptOnCreate",
          UpdateReplacePolicy: "Retain",
        });
  });

  it("creates the table last, because CloudFormation cannot delete a protected table when it rolls back", () => {
    const { id, DependsOn = [] } = only(data, "AWS::DynamoDB::Table");
    expect([...DependsOn, id].toSorted()).toEqual(Object.keys(data.Resources).toSorted());
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
  it("lets people sign up unless another issuer is configured", () => {
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
    expect(only(issued.data, "AWS::Cognito::UserPool").Properties).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    });
  });

  it("sends mail by Cognito, or as an identity in SES", () => {
    const mailOf = (template: Template) =>
      only<{ EmailConfiguration: object }>(template, "AWS::Cognito::UserPool").Properties.EmailConfiguration;
    expect(mailOf(data)).toEqual({ EmailSendingAccount: "COGNITO_DEFAULT" });
    expect(mailOf(issued.data)).toEqual({
      EmailSendingAccount: "DEVELOPER",
      From: "Terminal <no-reply@mail.example>",
      SourceArn: "arn:aws:ses:eu-west-1:111111111111:identity/mail.example",
    });
  });

  it("has a client without a secret, with short-lived, revocable tokens", () => {
    expect(only(data, "AWS::Cognito::UserPoolClient").Properties).toMatchObject({
      AccessTokenValidity: 15,
      AllowedOAuthFlowsUserPoolClient: false,
      EnableTokenRevocation: true,
      ExplicitAuthFlows: [
        "ALLOW_ADMIN_USER_PASSWORD_AUTH",
        "ALLOW_USER_SRP_AUTH",
        "ALLOW_REFRESH_TOKEN_AUTH",
      ],
      GenerateSecret: false,
      PreventUserExistenceErrors: "ENABLED",
      RefreshTokenValidity: 30 * 24 * 60,
      TokenValidityUnits: { AccessToken: "minutes", RefreshToken: "minutes" },
    });
  });
});

describe("a deploy with another configuration", () => {
  const exportsOf = ({ Outputs }: Template) =>
    Object.values(Outputs as Record<string, { Value: unknown; Export?: { Name: string } }>)
      .filter(({ Export }) => Export !== undefined)
      .map(({ Export, Value }) => [Export?.Name, Value]);
  const importsOf = (template: Template) =>
    [...JSON.stringify(template).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name]) => name);
  const { issuer, audience, tableStreamArn } = customContext;
  const contexts = [{}, { issuer, audience }, { tableStreamArn }, customContext];
  const deployments = contexts.map((context) => synthesize(context));

  // CloudFormation refuses to remove or to change an export that another stack imports.
  it("finds each resource and each export of the data stack as they were", () => {
    for (const { data: other } of deployments) {
      expect(Object.keys(other.Resources)).toEqual(Object.keys(data.Resources));
      expect(exportsOf(other).toSorted()).toEqual(exportsOf(data).toSorted());
    }
  });

  it("changes nothing there when chains begin to trade, but for one statement of the key's policy", () => {
    type KeyProperties = { KeyPolicy: { Statement: { Sid: string }[] } };
    const trading = structuredClone(synthesize({ trading: ["eth", "base"] }).data);
    const { Statement } = only<KeyProperties>(trading, "AWS::KMS::Key").Properties.KeyPolicy;
    expect(Statement.pop()).toMatchObject({
      Action: "kms:Decrypt",
      Effect: "Allow",
      Principal: { AWS: { "Fn::Join": ["", expect.arrayContaining([":root"])] } },
      Condition: {
        ArnEquals: {
          "aws:PrincipalArn": {
            "Fn::Join": [
              "",
              expect.arrayContaining([":role/TerminalApi-", { Ref: "AWS::Region" }, "-signTransaction"]),
            ],
          },
        },
        StringEquals: { "kms:EncryptionContext:network": ["eth", "base"] },
      },
    });
    expect(trading).toEqual(data);
  });

  it("imports exports that exist", () => {
    const names = exportsOf(data).map(([name]) => name);
    for (const { api } of deployments) expect(names).toEqual(expect.arrayContaining(importsOf(api)));
  });

  it("reads the change stream of a restored table if one is configured", () => {
    const streams = (template: Template) =>
      Object.values(template.Resources)
        .filter(({ Type }) => Type === "AWS::Lambda::EventSourceMapping")
        .map(({ Properties }) => Properties.EventSourceArn);
    expect(new Set(streams(issued.api))).toEqual(new Set([tableStreamArn]));
    expect(JSON.stringify(issued.api)).not.toMatch(/GetAttTable[0-9A-F]{8}StreamArn/);
  });
});

describe("the log groups, and API Gateway's role for logs", () => {
  it("outlive the API stack, unless the deploy that creates them fails", () => {
    const kept = Object.values(synthesize().api.Resources).filter(
      ({ Type, DeletionPolicy }) =>
        Type === "AWS::Logs::LogGroup" || (DeletionPolicy !== undefined && DeletionPolicy !== "Delete"),
    );
    expect(new Set(kept.map(({ Type }) => Type))).toEqual(
      new Set(["AWS::Logs::LogGroup", "AWS::IAM::Role", "AWS::ApiGateway::Account"]),
    );
    for (const { DeletionPolicy } of kept) expect(DeletionPolicy).toBe("RetainExceptOnCreate");
  });
});
