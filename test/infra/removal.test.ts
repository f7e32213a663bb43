import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allOf, contexts, synthesize } from "./synthesized.ts";

/** Commands that remove the resources that stacks keep, by type. */
const removals: Record<string, string> = {
  "AWS::ApiGateway::Account": "apigateway update-account",
  "AWS::Cognito::UserPool": "cognito-idp delete-user-pool",
  // Types of resources that are deleted together with the user pool.
  "AWS::Cognito::UserPoolClient": "cognito-idp delete-user-pool",
  "AWS::DynamoDB::Table": "dynamodb delete-table",
  "AWS::IAM::Role": "iam delete-role",
  "AWS::KMS::Key": "kms schedule-key-deletion",
  "AWS::Logs::LogGroup": "logs delete-log-group",
  "AWS::S3::Bucket": "s3 rb",
  "AWS::SecretsManager::Secret": "secretsmanager delete-secret",
};

const runbooks = readFileSync(new URL("../../docs/runbooks.md", import.meta.url), "utf8");
const [, section = ""] = runbooks.split("\n## Remove everything\n");

const templates = Object.values(contexts).flatMap((context) => allOf(synthesize(context)));
const kept = templates.flatMap(({ Resources }) =>
  Object.values(Resources).filter(({ DeletionPolicy = "Delete" }) => DeletionPolicy !== "Delete"),
);

describe("the runbook that removes everything", () => {
  it("removes each type of resource that outlives its stack", () => {
    const types = [...new Set(kept.map(({ Type }) => Type))].toSorted();
    expect(types).toEqual(Object.keys(removals));
    for (const type of types) expect(section, type).toContain(`aws ${removals[type]} `);
  });
});
