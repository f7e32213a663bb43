import type { Row } from "./operation-types.ts";

/** The rows of THE TABLE for wallets. */
export const walletRows = {
  storeWallet: {
    kind: "rest",
    method: "POST",
    path: "/storeWallet_v2",
    summary: "Import a wallet by its private key",
    errors: { client: "message", server: "message" },
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    key: ["kms:GenerateDataKey"],
    env: ["ALLOWED_ORIGINS", "WALLET_LIMITS"],
    impact: "Users cannot import wallets. Stored wallets are not affected.",
  },
  listWallets: {
    kind: "rest",
    method: "GET",
    path: "/listWallets",
    summary: "List the user's wallets on all networks",
    errors: { client: "message", server: "error" },
    table: ["dynamodb:Query"],
    env: ["ALLOWED_ORIGINS"],
    impact: "Users cannot see their wallets. Nothing is lost.",
  },
  listWalletsV2: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/wallets",
    summary: "List the user's wallets, in the general envelope",
    errors: { client: "envelope", server: "envelope" },
    table: ["dynamodb:Query"],
    env: ["ALLOWED_ORIGINS"],
    impact: "Clients of the v2 wallet list cannot see the user's wallets. Nothing is lost.",
  },
  listImportKeys: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/wallets/import-key",
    summary: "List the keys that a private key can be sealed to",
    errors: { client: "envelope", server: "envelope" },
    importKeys: ["kms:GetPublicKey"],
    env: ["ALLOWED_ORIGINS"],
    impact: "Users cannot begin a sealed import. Wallets are not affected.",
  },
} as const satisfies Record<string, Row>;
