/** On every resource of both stacks, by way of CloudFormation. */
export const tags = { service: "trading-terminal" };
