import type { Row } from "./types.ts";

/** Rows for users: sessions, settings and profiles. */
export const userRows = {
  startSession: {
    kind: "rest",
    method: "POST",
    path: "/api/v2/session",
    summary: "Keep the token in a cookie that pages cannot read",
    env: ["COOKIE_NAME", "COOKIE_SAME_SITE"],
    impact: "Pages that sign in by cookie cannot sign in. Existing cookies and tokens in headers work.",
  },
  endSession: {
    kind: "rest",
    method: "DELETE",
    path: "/api/v2/session",
    summary: "Remove the token's cookie",
    env: ["COOKIE_NAME", "COOKIE_SAME_SITE"],
    impact: "Users who sign out stay signed in until their token expires.",
  },
  updateTradingSettings: {
    kind: "rest",
    method: "POST",
    path: "/updateTradingSettings/{chain}",
    summary: "Change the user's trading settings for one chain",
    table: ["dynamodb:UpdateItem"],
    writes: ["SETTINGS"],
    impact:
      "Users cannot change slippage, gas, MEV protection or automatic trading. Their old settings stay in force.",
  },
  getTradingSettings: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/settings/{chain}",
    summary: "Read the user's trading settings for one chain",
    table: ["dynamodb:GetItem"],
    impact: "Users cannot read the settings of one chain. Trading and the profile are not affected.",
  },
  getUserData: {
    kind: "rest",
    method: "GET",
    path: "/getUserData",
    summary: "Read the user's profile or referral data",
    table: ["dynamodb:BatchGetItem", "dynamodb:Query"],
    impact: "Users cannot see their profile, level, settings or referrals.",
  },
  creditReferrals: {
    kind: "schedule",
    everyMinutes: 1,
    summary: "Credit referrers whose credit failed at the sign-up",
    table: ["dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    writes: ["USER", "REFERRALS"],
    deletes: ["REFERRALS"],
    // Ends before the next run starts, so that runs do not overlap.
    timeoutSeconds: 50,
    impact: "Some referrers get their credit late. No credit is lost.",
  },
} as const satisfies Record<string, Row>;
