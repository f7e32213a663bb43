import { Effect, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";

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
