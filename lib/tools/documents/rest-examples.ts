import type { RestOperationName } from "../../operations/operations.ts";

/** Values of a request. Ids and times that differ are taken from shell variables (see {@link shellVariables}). */
export type RestExample = {
  path?: Readonly<Record<string, string>>;
  /** Query parameters. Numbers are sent as text. */
  query?: Readonly<Record<string, string | number>>;
  headers?: Readonly<Record<string, string>>;
  body?: object;
};

/**
 * Path parameters, and fields of bodies, that shell examples take from variables. The reference page's introduction sets
 * them.
 */
export const shellVariables: Readonly<Record<string, string>> = {
  walletId: "WALLET_ID",
  orderId: "ORDER_ID",
  keyId: "KEY_ID",
  expiresAt: "EXPIRES_AT",
};

// Anvil's first account, whose private key is public, and MOON on the local chains.
const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const token = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";

const wallet = { path: { walletId: "8f14e45f-ceea-4e7d-9c1a-1d2b3c4d5e6f" } };
const order = { path: { orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3" } };
const trade = { chain: "eth", wallet: address, side: "buy", token, amount: "0.1" };

/** The generator point of P-256, used as an example of a public key. */
const generator = {
  x: "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
  y: "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
};

/** Example requests by operation, which the local runner accepts. Undefined for an operation without input. */
export const restExamples: Record<RestOperationName, RestExample | undefined> = {
  storeWallet: { body: { network: "eth", privateKey } },
  listWallets: undefined,
  listWalletsV2: { query: { network: "eth", limit: 20 } },
  listImportKeys: undefined,
  importWallet: {
    headers: { "Idempotency-Key": "sealed-1" },
    body: {
      network: "eth",
      keyId: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
      enc: "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
      ciphertext: "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJ",
      slotName: "Vault",
    },
  },
  createWallet: {
    headers: { "Idempotency-Key": "first-wallet" },
    body: { network: "eth", slotName: "Sniper", colortag: "pink" },
  },
  updateWallet: { ...wallet, body: { slotName: "Vault", colortag: "teal" } },
  retireWallet: wallet,
  restoreWallet: { ...wallet, body: {} },
  listWalletEvents: { ...wallet, query: { limit: 20 } },
  getWalletPolicy: wallet,
  setWalletPolicy: {
    ...wallet,
    body: { maxPerOrder: "0.5", maxPerDay: "2", tokens: [token], maxSlippage: 5, tradingEnabled: true },
  },
  exportWallet: { ...wallet, body: { publicKey: { kty: "EC", crv: "P-256", ...generator } } },
  cancelExport: wallet,
  lockExports: { body: {} },
  unlockExports: undefined,
  getExportLock: undefined,
  createKey: {
    body: {
      name: "Rebalancer",
      // Nobody has the private half.
      publicKey: "QjH9Qmzs8H1nN6SJ0jxZM3oDh1heRkVdaKCm50YWUjY",
      scopes: ["read", "trade"],
      chains: ["base"],
      maxPerOrder: "0.1",
      maxPerDay: "0.5",
      expiresAt: "2027-01-31T00:00:00.000Z",
    },
  },
  listKeys: undefined,
  deleteKey: { path: { keyId: "pk_Zk3vJ0mY8QxT2nB5rWcA7dLs" } },
  createDevice: { body: { type: "webhook", name: "Desk", url: "https://hooks.example.com/notices" } },
  listDevices: undefined,
  deleteDevice: { path: { deviceId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3" } },
  startSession: { body: {} },
  endSession: undefined,
  updateTradingSettings: {
    path: { chain: "eth" },
    headers: { "If-Match": "*" },
    body: { slippage: 1.5, gasPreset: "fast" },
  },
  getTradingSettings: { path: { chain: "eth" }, headers: { "If-None-Match": '"7"' } },
  getUserData: { query: { type: "profile" } },
  updateProfile: { body: { publicName: "Night owl", viewedMessage: true } },
  listRewards: undefined,
  redeemReward: {
    path: { rewardId: "guide-first-trade" },
    headers: { "Idempotency-Key": "first-redemption" },
    body: {},
  },
  listRedemptions: { query: { limit: 20 } },
  getLeaderboard: { query: { window: "weekly" } },
  listTokens: { query: { chain: "eth" } },
  inspectToken: { path: { chain: "eth", token } },
  getMarket: { path: { chain: "eth", token } },
  listCandles: { path: { chain: "eth", token }, query: { interval: "5m", limit: 12 } },
  listNewTokens: { query: { chain: "eth" } },
  readBalances: { query: { chain: "eth", wallet: address } },
  quoteOrder: { body: trade },
  placeOrder: { headers: { "Idempotency-Key": "first-order" }, body: { ...trade, type: "market" } },
  cancelOrder: { ...order, body: {} },
  cancelOrders: { body: { chain: "eth" } },
  setPreset: {
    path: { chain: "eth" },
    headers: { "If-Match": "*" },
    body: { wallet: address, buyAmount: "0.1", slippage: 5, exits: [], minLiquidity: "10" },
  },
  getPreset: { path: { chain: "eth" }, headers: { "If-None-Match": '"7"' } },
  listOrders: { query: { status: "filled", limit: 20 } },
  getOrder: order,
  listPositions: { query: { status: "open", chain: "eth" } },
};

// The example wallet on the local chain sol, and MOON on that chain.
const solTrade = {
  chain: "sol",
  wallet: "9uKPBoBGkfeVQXFnXcqtPksx3FmLxoDEsu2FskRovQWJ",
  side: "buy",
  token: "9Qr8UnrGQ1iF13KXFjiYfGaqRTnEjJgnsrduu7xP49o7",
  amount: "0.1",
  priorityFee: 0.001,
};

/** Request bodies on sol, for operations whose fields differ there. */
export const solBodies: { readonly [Name in RestOperationName]?: object } = {
  quoteOrder: solTrade,
  placeOrder: { ...solTrade, type: "market" },
  updateTradingSettings: { slippage: 2, priorityFee: 0.002 },
};
