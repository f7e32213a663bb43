import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { GetUsagePlanCommand } from "@aws-sdk/client-api-gateway";
import { afterEach, describe, expect, it } from "vitest";
import { timeouts } from "../../lib/aws/timeouts.ts";
import { openUsagePlans } from "../../lib/plans/usage-plans.ts";

const server = createServer(async (_, response) => {
  await pause(timeouts.requestTimeout + 200);
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":"slow"}');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe("openUsagePlans", () => {
  it("waits longer for the control plane than functions wait for other AWS services", async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { once } = openUsagePlans(
      { prefix: "Terminal/user/", stages: [] },
      {
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        region: "us-east-1",
        credentials: { accessKeyId: "a", secretAccessKey: "s" },
      },
    );
    expect(await once.send(new GetUsagePlanCommand({ usagePlanId: "slow" }))).toMatchObject({ id: "slow" });
  });
});
