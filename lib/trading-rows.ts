import type { Row } from "./operation-types.ts";

/** The rows of THE TABLE that trade, or say that nothing does. */
export const tradingRows = {
  refuseTrading: {
    kind: "refusal",
    methods: [
      { method: "GET", path: "/api/v2/tokens" },
      { method: "GET", path: "/api/v2/tokens/{chain}/{token}" },
      { method: "GET", path: "/api/v2/balances" },
      { method: "POST", path: "/api/v2/quotes" },
      { method: "POST", path: "/api/v2/orders" },
      { method: "POST", path: "/api/v2/orders/{orderId}/cancel" },
    ],
    summary: "Answer requests to trade where nothing trades",
    errors: { client: "envelope", server: "envelope" },
    env: ["ALLOWED_ORIGINS"],
    memoryMB: 256,
    impact: "Users who want to trade get a 500, and not the answer that trading is switched off.",
  },
} as const satisfies Record<string, Row>;
