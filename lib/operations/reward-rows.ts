import type { Row } from "./types.ts";

export const rewardRows = {
  listRewards: {
    kind: "rest",
    method: "GET",
    path: "/api/waitlist/v2/rewards",
    scope: "read",
    summary: "List the rewards that points can buy",
    table: ["dynamodb:GetItem", "dynamodb:BatchGetItem"],
    impact: "Users cannot see the rewards.",
  },
  redeemReward: {
    kind: "rest",
    method: "POST",
    path: "/api/v2/rewards/{rewardId}/redemptions",
    summary: "Buy a reward with points",
    table: [
      ...(["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"] as const),
      ...(["dynamodb:PutItem", "dynamodb:UpdateItem"] as const),
    ],
    writes: ["USER", "POINTS", "REWARD", "REDEMPTION", "REDEMPTIONS"],
    impact: "Users cannot buy rewards. Points and stocks are not affected.",
  },
  listRedemptions: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/redemptions",
    scope: "read",
    summary: "List the rewards that the user has bought, newest first",
    table: ["dynamodb:Query", "dynamodb:GetItem"],
    impact: "Users cannot see their purchases. Nothing is lost.",
  },
  creditTrades: {
    kind: "schedule",
    deployed: "with earning",
    everyMinutes: 1,
    summary: "Credit users with what their trades have earned",
    table: [
      ...(["dynamodb:GetItem", "dynamodb:Query"] as const),
      ...(["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"] as const),
    ],
    writes: ["USER", "POINTS", "EARNED", "LEADERBOARD"],
    deletes: ["EARNED", "LEADERBOARD"],
    invokes: ["feedPrices"],
    env: ["EARNING", "PRICE_FEEDS"],
    // Ends before the next run starts, so that runs do not overlap.
    timeoutSeconds: 50,
    impact: "Users get XP, points and their streak late. Nothing that they have earned is lost.",
  },
  getLeaderboard: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/leaderboard",
    scope: "read",
    summary: "List the ranked users who have earned the most XP",
    table: ["dynamodb:GetItem", "dynamodb:Query"],
    impact: "Users cannot see leaderboards. Nothing is lost.",
  },
} as const satisfies Record<string, Row>;
