import { APIGatewayClient, GetUsagePlanKeysCommand, GetUsagePlansCommand } from "@aws-sdk/client-api-gateway";
import { expect, vi } from "vitest";
import { deployment } from "./deployment.ts";
import type { User } from "./users.ts";

type Description = {
  outputs: Record<"StandardPlanId" | "ProPlanId", string>;
  endpoints: { apigateway: string };
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};

/**
 * Waits until a known user has an API key on this plan, and the authorizers use it. Enterprise users have a
 * plan of their own.
 */
export async function hasKeyOn(plan: "Standard" | "Pro" | "their own", { id }: User): Promise<void> {
  const response = await fetch(`${deployment().baseUrl}/_local/outputs`);
  const { outputs, endpoints, region, credentials } = (await response.json()) as Description;
  const client = new APIGatewayClient({ endpoint: endpoints.apigateway, region, credentials });
  const name = `TerminalApi/user/${id}/`;
  const planId = async () => {
    if (plan !== "their own") return outputs[`${plan}PlanId`];
    const { items = [] } = await client.send(new GetUsagePlansCommand({ limit: 500 }));
    return items.find((each) => each.name?.startsWith(name))?.id;
  };
  const isThere = async () => {
    const query = { usagePlanId: (await planId()) ?? "none yet", nameQuery: name, limit: 500 };
    expect((await client.send(new GetUsagePlanKeysCommand(query))).items).toHaveLength(1);
  };
  await vi.waitFor(isThere, { timeout: 30_000, interval: 200 });
  // An authorizer caches a missing key for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
}
