import { type ArnComponents, ArnFormat, Aws, Stack } from "aws-cdk-lib";
import { AccountRootPrincipal, Effect, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { ofOneWallet } from "../data/wallet-key.ts";

/** The functions behind the walls. They open wallets. */
export type WalledFunction = "signTransaction" | "sealExport";

/**
 * The name of a walled function's role. The key's policy has to name the role, and a reference would make the stacks depend on
 * each other. Roles have no Region, so their names do.
 *
 * @param apiStackName the stack that has the function
 */
export const walledRoleName = (apiStackName: string, name: WalledFunction) =>
  `${apiStackName}-${Aws.REGION}-${name}`;

export const walledRoleArn = (scope: Construct, apiStackName: string, name: WalledFunction) => {
  const components: ArnComponents = {
    service: "iam",
    region: "",
    resource: "role",
    resourceName: walledRoleName(apiStackName, name),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  };
  return Stack.of(scope).formatArn(components);
};

/** The statement of the wallets' key by which a role may open wallets of these networks, one at a time. */
export const opensWallets = (sid: string, roleArn: string, networks: readonly string[]) =>
  new PolicyStatement({
    sid,
    actions: ["kms:Decrypt"],
    // The role may not exist yet, so it cannot be the principal.
    principals: [new AccountRootPrincipal()],
    resources: ["*"],
    conditions: {
      ...ofOneWallet,
      ArnEquals: { "aws:PrincipalArn": roleArn },
      StringEquals: { "kms:EncryptionContext:network": [...networks] },
    },
  });

/** The statement of the same role's own policy. Neither is enough alone, and this one needs the endpoint besides. */
export const opensWalletsThrough = (vpcEndpointID: string, keyArn: string, networks: readonly string[]) =>
  new PolicyStatement({
    actions: ["kms:Decrypt"],
    resources: [keyArn],
    conditions: {
      ...ofOneWallet,
      StringEquals: {
        "aws:SourceVpce": vpcEndpointID,
        "kms:EncryptionContext:network": [...networks],
      },
    },
  });

const interfaceActions = [
  "ec2:AssignPrivateIpAddresses",
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:UnassignPrivateIpAddresses",
];

/** Lambda puts a function into a VPC with the rights of its role. The function's code may not use them. */
export const networkInterfaces = () =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({ actions: interfaceActions, resources: ["*"] }),
      new PolicyStatement({
        effect: Effect.DENY,
        actions: interfaceActions,
        resources: ["*"],
        conditions: { Null: { "lambda:SourceFunctionArn": "false" } },
      }),
    ],
  });

/** Why {@link networkInterfaces} may have a wildcard. */
export const acknowledgedInterfaces = {
  id: "AwsSolutions-IAM5[Resource::*]",
  reason:
    "Lambda makes the network interfaces of a function, with ids that EC2 chooses. Its code is denied the same.",
};
