import type { Row } from "./operation-types.ts";

/** The rows of THE TABLE that trade, that show what was traded, or that refuse to trade. */
export const tradingRows = {
  listOrders: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/orders",
    summary: "List the user's orders, newest first",
    errors: { client: "envelope", server: "envelope" },
    table: ["dynamodb:Query"],
    env: ["ALLOWED_ORIGINS"],
    impact: "Users cannot list their orders. Nothing is lost, and the stream has the newest.",
  },
  getOrder: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/orders/{orderId}",
    summary: "Read an order, with its transactions if it was placed here",
    errors: { client: "envelope", server: "envelope" },
    table: ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"],
    env: ["ALLOWED_ORIGINS"],
    impact: "Users cannot look at one of their orders. Nothing is lost.",
  },
  listPositions: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/positions",
    summary: "List the user's positions, newest first",
    errors: { client: "envelope", server: "envelope" },
    table: ["dynamodb:Query"],
    env: ["ALLOWED_ORIGINS"],
    impact: "Users cannot list their positions. Nothing is lost, and the stream has the newest.",
  },
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
