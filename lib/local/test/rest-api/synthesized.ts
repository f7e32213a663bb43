import { readFileSync } from "node:fs";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";

export type ApiName = "preflight-one-origin" | "preflight-several-origins" | "mock" | "guarded";

/** Reads a synthesized API and all its resources from a file, since loading CDK takes seconds. */
export function synthesized(name: ApiName): { api: ResolvedResource; resources: ResolvedResource[] } {
  const resources: ResolvedResource[] = JSON.parse(readFileSync(fileOf(name), "utf8"));
  const api = resources.find(({ type }) => type === "AWS::ApiGateway::RestApi");
  if (!api) throw new Error(`${name} has no REST API`);
  return { api, resources };
}

export function fileOf(name: ApiName): string {
  return `${import.meta.dirname}/synthesized/${name}.snap`;
}
