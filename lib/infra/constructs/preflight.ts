import { Duration } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { operationsOf } from "../../operations.ts";

/** Answers browsers that ask what a page of another origin may do. When no origin is allowed, nothing answers. */
export function addPreflight(api: RestApi, allowedOrigins: readonly string[]): void {
  if (allowedOrigins.length === 0) return;
  const rowsByPath = Map.groupBy(operationsOf("rest"), ([, row]) => row.path);
  for (const [path, rows] of rowsByPath)
    api.root.resourceForPath(path).addCorsPreflight({
      allowOrigins: [...allowedOrigins],
      allowCredentials: true,
      allowHeaders: ["Authorization", "Content-Type"],
      allowMethods: [...rows.map(([, row]) => row.method), "OPTIONS"],
      maxAge: Duration.minutes(10),
    });
}
