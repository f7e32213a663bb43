import { GetStageCommand } from "@aws-sdk/client-api-gateway";
import { describe, expect } from "vitest";
import { enoughRuns } from "../../../lib/infra/market-context.ts";
import { stagesShare } from "../../../lib/infra/throttles.ts";
import { keysPerAccount } from "../../../lib/plans/fallback-keys.ts";
import { readQuotas } from "../../../lib/tools/plan/read-quotas.ts";
import { it, service } from "./support/check.ts";

describe("the account", () => {
  it("can run enough functions at once for requests besides the long runs", async ({ deployed }) => {
    const { region, concurrentRuns } = await readQuotas(process.env);
    expect(region).toBe(deployed.region);
    expect(concurrentRuns).toBeGreaterThanOrEqual(enoughRuns);
  });

  it("takes all requests a second that the methods may take together, and pushes", async ({ deployed }) => {
    const { plans } = service.plans;
    const [rest] = plans.stages;
    const stage = { restApiId: rest?.apiId, stageName: rest?.stage };
    const { methodSettings = {} } = await plans.client.send(new GetStageCommand(stage));
    const rates = Object.values(methodSettings).map(({ throttlingRateLimit = 0 }) => throttlingRateLimit);
    const { region, requestsPerSecond } = await readQuotas(process.env);
    expect(region).toBe(deployed.region);
    expect(rates.reduce((sum, rate) => sum + rate, 0)).toBeLessThanOrEqual(stagesShare * requestsPerSecond);
  });

  it("has room for another API key", async ({ deployed }) => {
    const { region, keyNames } = await readQuotas(process.env);
    expect(region).toBe(deployed.region);
    expect(keyNames.length).toBeLessThan(keysPerAccount);
  });
});
