export type Endpoint = {
  name: string;
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  body?: object;
  /** Expected status for a known user. The request changes no visible data. */
  status: number;
};

/** Lists a request to each operation. The import is invalid, because a valid one would add a wallet. */
export const endpoints: readonly Endpoint[] = [
  { name: "POST /storeWallet_v2", method: "POST", path: "/storeWallet_v2", body: {}, status: 400 },
  { name: "GET /listWallets", method: "GET", path: "/listWallets", status: 200 },
  {
    name: "POST /updateTradingSettings/{chain}",
    method: "POST",
    path: "/updateTradingSettings/eth",
    body: {},
    status: 200,
  },
  { name: "GET /api/v2/settings/{chain}", method: "GET", path: "/api/v2/settings/eth", status: 200 },
  { name: "GET /getUserData", method: "GET", path: "/getUserData", status: 200 },
  { name: "GET /api/waitlist/v2/rewards", method: "GET", path: "/api/waitlist/v2/rewards", status: 200 },
  { name: "GET /api/v2/wallets", method: "GET", path: "/api/v2/wallets", status: 200 },
  { name: "POST /api/v2/wallets", method: "POST", path: "/api/v2/wallets", body: {}, status: 400 },
  {
    name: "PATCH /api/v2/wallets/{walletId}",
    method: "PATCH",
    path: "/api/v2/wallets/no-wallet",
    body: { colortag: "red" },
    status: 404,
  },
  {
    name: "DELETE /api/v2/wallets/{walletId}",
    method: "DELETE",
    path: "/api/v2/wallets/no-wallet",
    status: 404,
  },
  {
    name: "POST /api/v2/wallets/{walletId}/restore",
    method: "POST",
    path: "/api/v2/wallets/no-wallet/restore",
    body: {},
    status: 404,
  },
  {
    name: "GET /api/v2/wallets/{walletId}/events",
    method: "GET",
    path: "/api/v2/wallets/no-wallet/events",
    status: 404,
  },
  { name: "GET /api/v2/redemptions", method: "GET", path: "/api/v2/redemptions", status: 200 },
  {
    name: "POST /api/v2/rewards/{rewardId}/redemptions",
    method: "POST",
    path: "/api/v2/rewards/no-reward/redemptions",
    body: {},
    status: 400,
  },
  { name: "PATCH /api/v2/profile", method: "PATCH", path: "/api/v2/profile", body: {}, status: 400 },
  { name: "GET /api/v2/leaderboard", method: "GET", path: "/api/v2/leaderboard", status: 200 },
  { name: "GET /api/v2/orders", method: "GET", path: "/api/v2/orders", status: 200 },
  { name: "GET /api/v2/orders/{orderId}", method: "GET", path: "/api/v2/orders/no-order", status: 404 },
  { name: "GET /api/v2/positions", method: "GET", path: "/api/v2/positions", status: 200 },
];
