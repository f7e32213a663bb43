import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
  UpdateUserPoolClientCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { consoleUrlOf } from "../../infra/edge-context.ts";

/**
 * Lets the deployment's user pool return users to the console after a sign-in or sign-out. Without a domain name, only
 * the deploy of the edge chooses the console's address, so no template can contain it.
 *
 * @returns what it has done, for the operator. Empty if users sign in elsewhere, there is no edge, or nothing is new.
 */
export async function setConsoleAddress(): Promise<string[]> {
  const [data, edge] = [await outputsOf("TerminalData"), await outputsOf("TerminalEdge")];
  const { UserPoolId, UserPoolClientId: ClientId } = data;
  if (UserPoolId === undefined || ClientId === undefined || edge.BaseUrl === undefined) return [];
  const url = consoleUrlOf(edge.BaseUrl);
  const cognito = new CognitoIdentityProviderClient();
  const { UserPoolClient: client } = await cognito.send(
    new DescribeUserPoolClientCommand({ UserPoolId, ClientId }),
  );
  const isKnown = [client?.CallbackURLs, client?.LogoutURLs].every((urls) => `${urls}` === url);
  if (client === undefined || isKnown) return [];
  // Repeats all settings, because Cognito resets those that an update leaves out.
  const { ClientSecret: _, CreationDate: __, LastModifiedDate: ___, ...settings } = client;
  await cognito.send(
    new UpdateUserPoolClientCommand({
      ...settings,
      UserPoolId,
      ClientId,
      CallbackURLs: [url],
      LogoutURLs: [url],
    }),
  );
  return [`The user pool now returns users to ${url}`];
}

/** Outputs of a stack. Empty if it does not exist. */
async function outputsOf(StackName: string): Promise<Partial<Record<string, string>>> {
  try {
    const { Stacks: [stack] = [] } = await new CloudFormationClient().send(
      new DescribeStacksCommand({ StackName }),
    );
    return Object.fromEntries(
      (stack?.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]),
    );
  } catch (error) {
    if (error instanceof Error && error.name === "ValidationError") return {};
    throw error;
  }
}
