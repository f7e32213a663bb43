import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
  UpdateUserPoolClientCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { setConsoleAddress } from "../../../lib/tools/plan/console-address.ts";

const cloudFormation = mockClient(CloudFormationClient);
const cognito = mockClient(CognitoIdentityProviderClient);

const url = "https://d1.cloudfront.net/console/";
const settings = {
  UserPoolId: "pool",
  ClientId: "client",
  ClientName: "TerminalData-client",
  AllowedOAuthFlows: ["code" as const],
  AllowedOAuthFlowsUserPoolClient: true,
  AccessTokenValidity: 15,
  EnableTokenRevocation: true,
};

function exist(stacks: Record<string, Record<string, string>>, urls = ["https://console.invalid/console/"]) {
  cloudFormation.on(DescribeStacksCommand).callsFake(({ StackName }: { StackName: string }) => {
    const outputs = stacks[StackName];
    if (outputs === undefined)
      throw Object.assign(new Error(`${StackName} does not exist`), { name: "ValidationError" });
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
    return { Stacks: [{ Outputs }] };
  });
  cognito.on(DescribeUserPoolClientCommand).resolves({
    UserPoolClient: { ...settings, CreationDate: new Date(), CallbackURLs: urls, LogoutURLs: urls },
  });
}

const pool = { UserPoolId: "pool", UserPoolClientId: "client" };
const edge = { BaseUrl: "https://d1.cloudfront.net" };
const changes = () => cognito.commandCalls(UpdateUserPoolClientCommand).map(({ args: [{ input }] }) => input);

beforeEach(() => {
  process.env.AWS_REGION = "eu-west-1";
  cloudFormation.reset();
  cognito.reset();
});

describe("the address of the console", () => {
  it("is set in the user pool, whose other settings stay", async () => {
    exist({ TerminalData: pool, TerminalEdge: edge });
    expect(await setConsoleAddress()).toEqual([`The user pool now returns users to ${url}`]);
    expect(changes()).toEqual([{ ...settings, CallbackURLs: [url], LogoutURLs: [url] }]);
  });

  it.each([
    ["the pool knows it", { TerminalData: pool, TerminalEdge: edge }, [url]],
    ["users sign in elsewhere", { TerminalData: {}, TerminalEdge: edge }, undefined],
    ["there is no edge", { TerminalData: pool }, undefined],
    ["nothing is deployed", {}, undefined],
  ])("stays as it is if %s", async (_, stacks, urls) => {
    exist(stacks, urls);
    expect(await setConsoleAddress()).toEqual([]);
    expect(changes()).toEqual([]);
  });

  it("fails the deploy if Cognito refuses it", async () => {
    exist({ TerminalData: pool, TerminalEdge: edge });
    cognito.on(UpdateUserPoolClientCommand).rejects(new Error("AccessDenied"));
    await expect(setConsoleAddress()).rejects.toThrow("AccessDenied");
  });
});
