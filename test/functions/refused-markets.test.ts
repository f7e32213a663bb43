import "./environment.ts";
import { expect, it } from "vitest";
import { handler } from "../../functions/refuseMarkets/handler.ts";
import { restEvent } from "../support/events.ts";

it("refuseMarkets reports that markets are switched off", async () => {
  const { statusCode, body } = await handler({ ...restEvent(), httpMethod: "GET" });
  expect(statusCode).toBe(403);
  expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: "MARKETS_DISABLED" } });
});
