export type Condition = Record<string, Record<string, string | string[]>>;

const account = { AWS: "arn:aws:iam::000000000000:root" };

/** Creates a statement that allows actions on all resources. */
export const allow = (
  Action: string | string[],
  Condition: Condition = {},
  Principal: unknown = account,
) => ({
  Effect: "Allow",
  Action,
  Principal,
  Resource: "*",
  Condition,
});

export const policy = (...Statement: object[]) => ({ Version: "2012-10-17", Statement });
