/** The account that the runner plays: every ARN, pseudo parameter and SDK client of the machine agrees on it. */
export const account = {
  id: "000000000000",
  region: "us-east-1",
  partition: "aws",
  urlSuffix: "amazonaws.com",
} as const;

/** An ARN in that account, e.g. `arn("lambda", "function:list")`. */
export function arn(service: string, resource: string): string {
  return `arn:${account.partition}:${service}:${account.region}:${account.id}:${resource}`;
}
