import { describe, expect, it } from "vitest";
import {
  customContext,
  functionsOf,
  importKeysOf,
  macKeyIdIn,
  only,
  ownHosts,
  propertiesOf,
  synthesize,
  type Template,
  walletKeyOf,
} from "./synthesized.ts";

const { data, protectedData } = synthesize();
const issued = synthesize(customContext);

/** Types of resources that hold nothing and can be made again. */
const remade = ["AWS::KMS::Alias", "AWS::Cognito::UserPoolDomain", "AWS::Cognito::ManagedLoginBranding"];

describe("the data stack", () => {
  it("keeps the logical ids of its resources", () => {
    expect(Object.fromEntries(Object.entries(data.Resources).map(([id, { Type }]) => [id, Type]))).toEqual({
      TableCD117FA1: "AWS::DynamoDB::Table",
      Key961B73FD: "AWS::KMS::Key",
      KeyAlias910D852D: "AWS::KMS::Alias",
      ImportKey1936C201C: "AWS::KMS::Key",
      ImportKey1Alias3249CFA4: "AWS::KMS::Alias",
      OriginKey1F518F6B9: "AWS::SecretsManager::Secret",
      UsersPoolBFC35D3B: "AWS::Cognito::UserPool",
      UsersPoolClient39A19381: "AWS::Cognito::UserPoolClient",
      UsersPoolSignIn00DFCB96: "AWS::Cognito::UserPoolDomain",
      UsersSignInStyle34CD7995: "AWS::Cognito::ManagedLoginBranding",
    });
  });

  it("retains its resources unless the deployment that creates them fails", () => {
    for (const [id, resource] of Object.entries(data.Resources))
      if (!remade.includes(resource.Type))
        expect(resource, id).toMatchObject({
          DeletionPolicy: "RetainExceptOnCreate",
          UpdateReplacePolicy: "Retain",
        });
  });

  it("creates the table last, because CloudFormation cannot delete a protected table when it rolls back", () => {
    const { id, DependsOn = [] } = only(data, "AWS::DynamoDB::Table");
    expect([...DependsOn, id].toSorted()).toEqual(Object.keys(data.Resources).toSorted());
  });

  it("protects the data stack from deletion", () => {
    expect(protectedData).toBe(true);
  });

  it("has a table that can handle the traffic given in the context from the start", () => {
    expect(only(issued.data, "AWS::DynamoDB::Table").Properties).toMatchObject({
      WarmThroughput: { ReadUnitsPerSecond: 13_000, WriteUnitsPerSecond: 5000 },
    });
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

  it("rotates the key and gives it an alias", () => {
    const { id, Properties } = walletKeyOf({ data });
    expect(Properties).toMatchObject({ EnableKeyRotation: true, MultiRegion: true });
    expect(propertiesOf(data, "AWS::KMS::Alias")).toContainEqual({
      AliasName: "alias/TerminalData/wallets",
      TargetKeyId: { "Fn::GetAtt": [id, "Arn"] },
    });
  });

  it("keeps a key of one region where the context says so, because CloudFormation refuses to change it", () => {
    const kept = synthesize({ multiRegionKey: false });
    expect(walletKeyOf(kept).id).toBe(walletKeyOf({ data }).id);
    expect(walletKeyOf(kept).Properties).not.toHaveProperty("MultiRegion");
  });

  it("outputs the names that operators need", () => {
    const names = (outputs: object) =>
      Object.keys(outputs).filter((name) => !/^(Exports|Publish)Output/.test(name));
    expect(names(data.Outputs)).toEqual(["TableName", "KeyId", "UserPoolId", "UserPoolClientId"]);
    expect(names(issued.data.Outputs)).toEqual(["TableName", "KeyId"]);
  });
});

describe("the import keys", () => {
  const importKeys = ["1", "2"];
  const two = synthesize({ importKeys });

  it("creates one key for each label, and keeps it when another label is added", () => {
    expect(importKeysOf({ data }).map(({ id }) => id)).toEqual(["ImportKey1936C201C"]);
    const [first, second, ...more] = importKeysOf(two);
    expect(more).toEqual([]);
    expect(first).toEqual(importKeysOf({ data })[0]);
    expect(second?.Properties).toMatchObject({
      KeySpec: "ECC_NIST_P256",
      KeyUsage: "KEY_AGREEMENT",
      KeyPolicy: first?.Properties.KeyPolicy,
    });
    expect(propertiesOf(two.data, "AWS::KMS::Alias")).toContainEqual({
      AliasName: "alias/TerminalData/import/2",
      TargetKeyId: { "Fn::GetAtt": [second?.id, "Arn"] },
    });
  });

  it("passes import keys to functions in the order of the context", () => {
    const { Environment } = functionsOf(two).listImportKeys ?? {};
    const names = [...JSON.stringify(Environment?.Variables.IMPORT_KEYS).matchAll(/GetAttImportKey(\d)/g)];
    expect(names.map(([, label]) => label)).toEqual(importKeys);
  });

  it("allows removing a key from the context, because no stack imports its export", () => {
    const exported = Object.entries(two.data.Outputs).filter(([, output]) => "Export" in output);
    expect(JSON.stringify(exported)).not.toContain("ImportKey");
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

  it("sends mail through Cognito, or as an identity in SES", () => {
    const mailOf = (template: Template) =>
      only<{ EmailConfiguration: object }>(template, "AWS::Cognito::UserPool").Properties.EmailConfiguration;
    expect(mailOf(data)).toEqual({ EmailSendingAccount: "COGNITO_DEFAULT" });
    expect(mailOf(issued.data)).toEqual({
      EmailSendingAccount: "DEVELOPER",
      From: "Terminal <no-reply@mail.example>",
      SourceArn: "arn:aws:ses:eu-west-1:111111111111:identity/mail.example",
    });
  });

  it("has a sign-in page, which returns users only to the console, or to nobody with another issuer", () => {
    const clientOf = (template: Template) => only(template, "AWS::Cognito::UserPoolClient").Properties;
    const urls = (url: string) => ({ CallbackURLs: [url], LogoutURLs: [url] });
    expect(clientOf(data)).toMatchObject(urls("https://console.invalid/console/"));
    const certificateArn = "arn:aws:acm:us-east-1:111111111111:certificate/a";
    const named = synthesize({ domainName: "terminal.example", certificateArn });
    expect(clientOf(named.data)).toMatchObject({
      ...urls("https://terminal.example/console/"),
      AllowedOAuthFlows: ["code"],
      AllowedOAuthScopes: ["openid", "profile", "email"],
    });
    expect(only(data, "AWS::Cognito::UserPoolDomain").Properties).toMatchObject({ ManagedLoginVersion: 2 });
    expect(clientOf(issued.data)).toMatchObject({ AllowedOAuthFlowsUserPoolClient: false });
  });

  it("has a client without a secret, with short-lived, revocable tokens", () => {
    expect(only(data, "AWS::Cognito::UserPoolClient").Properties).toMatchObject({
      AccessTokenValidity: 15,
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

describe("a change of configuration", () => {
  const exportsOf = ({ Outputs }: Template) =>
    Object.values(Outputs as Record<string, { Value: unknown; Export?: { Name: string } }>)
      .filter(({ Export }) => Export !== undefined)
      .map(({ Export, Value }) => [Export?.Name, Value]);
  const importsOf = (template: Template) =>
    [...JSON.stringify(template).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name]) => name);
  const { issuer, audience, tableStreamArn } = customContext;
  const { trading: _, earning: __, ...untraded } = customContext;
  const contexts = [{}, { issuer, audience }, { tableStreamArn }, untraded];
  const deployments = contexts.map((context) => synthesize(context));

  // CloudFormation rejects removing or changing an export that another stack imports.
  it("keeps each resource and each export of the data stack", () => {
    for (const { data: other } of deployments) {
      expect(Object.keys(other.Resources)).toEqual(Object.keys(data.Resources));
      expect(exportsOf(other).toSorted()).toEqual(exportsOf(data).toSorted());
    }
  });

  it("adds only a key of orders, and a statement to the policy of the wallets' key, when trading is switched on", () => {
    const trading = structuredClone(synthesize({ trading: ["eth", "base"], chains: ownHosts }).data);
    const { Statement } = walletKeyOf({ data: trading }).Properties.KeyPolicy;
    expect(Statement.pop()).toMatchObject({
      Action: "kms:Decrypt",
      Effect: "Allow",
      Principal: { AWS: { "Fn::Join": ["", expect.arrayContaining([":root"])] } },
      Condition: {
        ArnEquals: {
          "aws:PrincipalArn": {
            "Fn::Join": [
              "",
              expect.arrayContaining([
                ":role/TerminalApi-",
                { Ref: "AWS::Region" },
                "-custody-signTransaction",
              ]),
            ],
          },
        },
        StringEquals: { "kms:EncryptionContext:network": ["eth", "base"] },
      },
    });
    const macKeyId = macKeyIdIn(trading);
    expect(trading.Resources[macKeyId]).toMatchObject({ DeletionPolicy: "RetainExceptOnCreate" });
    delete trading.Resources[macKeyId];
    const table = only(trading, "AWS::DynamoDB::Table").id;
    const { DependsOn } = trading.Resources[table] as { DependsOn: string[] };
    DependsOn.splice(DependsOn.indexOf(macKeyId), 1);
    for (const name of Object.keys(trading.Outputs ?? {}).filter((each) => each.includes("GetAttMacKey")))
      delete trading.Outputs[name];
    expect(trading).toEqual(data);
  });

  it("imports only existing exports", () => {
    const names = exportsOf(data).map(([name]) => name);
    for (const { api } of deployments) expect(names).toEqual(expect.arrayContaining(importsOf(api)));
  });

  it("uses the change stream of a restored table if one is configured", () => {
    const streams = (template: Template) =>
      Object.values(template.Resources)
        .filter(({ Type }) => Type === "AWS::Lambda::EventSourceMapping")
        // Only streams have a position to start at; queues have none.
        .filter(({ Properties }) => Properties.StartingPosition !== undefined)
        .map(({ Properties }) => Properties.EventSourceArn);
    expect(new Set(streams(issued.api))).toEqual(new Set([tableStreamArn]));
    expect(JSON.stringify(issued.api)).not.toMatch(/GetAttTable[0-9A-F]{8}StreamArn/);
  });
});

describe("log groups, and API Gateway's role for logs", () => {
  it("keeps log groups and role beyond the API stack unless the deployment that creates them fails", () => {
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
